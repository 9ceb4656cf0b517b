import {
  type KeyList,
  type VerifiedSet,
  type VerifiedUpdate,
  verifyAbsent,
  verifyMember,
  verifySet,
  verifyUpdate,
} from 'alvarium-sdk/sets'
import { AlvariumError } from '../../base/errors.js'
import { readProof } from '../../sets/proof-message.js'
import { invalid } from '../fault.js'
import { noteRecords } from '../input/payloads.js'
import { type TrustedAt, trustedAt } from '../keys/trusted.js'
import { EXIT, type ExitCode, type Run, type Session } from '../session.js'
import { green, red, type Shown, shown, yellow } from '../terminal/shown.js'
import { count } from '../terminal/words.js'
import { type AskedItem, assertReadOnce, itemOf, listIn, messageIn, saltIn } from './files.js'

/** What `alvarium set verify` can be asked for. */
interface SetVerifyOptions extends AskedItem {
  readonly key?: readonly string[]
  readonly trust?: string
  readonly receivedAt?: string
  readonly list?: string
  readonly before?: string
  readonly beforeList?: string
  readonly update?: string
  readonly json?: boolean
}

/** What was shown: a row for people, and the same for programs. */
interface SetReport {
  readonly row: Shown
  readonly json: object
}

export const run: Run<SetVerifyOptions> = async (args, options, session) => {
  assertTogether(args, options)
  const trust = await trustedAt(options)
  try {
    for (const { row, json } of await foundBy(args, options, trust, session)) {
      if (options.json) await session.out.json(json)
      else await session.out.line(row)
    }
    return EXIT.yes
  } catch (error) {
    if (!(error instanceof AlvariumError)) throw error
    const exit = exitFor(error)
    if (exit === undefined) throw error
    if (options.json) await session.out.json({ verified: false, code: error.code, message: error.message })
    else
      await session.out.line(
        shown`${exit === EXIT.no ? red('✗') : yellow('?')} ${error.code}  ${error.message}`,
      )
    return exit
  }
}

/** What says something about the set; everything else is said of the command. */
function exitFor({ code }: AlvariumError): ExitCode | undefined {
  if (code === 'SIGNER_UNKNOWN') return EXIT.unknown
  return code.startsWith('SIGN') || code === 'MESSAGE_MALFORMED' || code === 'PROOF_INVALID'
    ? EXIT.no
    : undefined
}

function assertTogether([set, proof, payload]: readonly string[], options: SetVerifyOptions): void {
  const { before, beforeList, update, list, payloadKey } = options
  assertReadOnce({ set, proof, ...(!payloadKey && { payload }), '--before': before, '--update': update })
  if (proof !== undefined && payload === undefined)
    throw invalid('payload', 'the payload of the proof', 'none')
  if (before === undefined && (update !== undefined || beforeList !== undefined)) {
    throw invalid('--before', 'the set before', 'none')
  }
  if (before !== undefined && update === undefined && (beforeList === undefined || list === undefined)) {
    throw invalid('--update', 'an update, or --before-list and --list', 'neither')
  }
}

async function foundBy(
  [file = '', proof, payload = '']: readonly string[],
  options: SetVerifyOptions,
  trust: TrustedAt,
  session: Session,
): Promise<SetReport[]> {
  const salt = await saltIn(options.salt)
  const opened = await openSet(file, options.list, salt, trust, session)
  const { set } = opened
  const found = [ofSet(set)]
  if (proof !== undefined) {
    const item = await itemOf(payload, options, session)
    const message = await messageIn(proof, session)
    found.push(ofProof(set, message, item))
    if (readProof(message).says === 'absent' && !options.payloadKey) await noteRecords(payload, session)
  }
  if (options.before !== undefined) {
    const before = await openSet(options.before, options.beforeList, salt, trust, session)
    found.push(ofUpdate(await changed(before, opened, options.update, session)))
  }
  return found
}

interface OpenedSet {
  readonly set: VerifiedSet
  readonly list: KeyList | undefined
}

/** The signature comes first: of a list nothing is read that nobody signed the length of. */
async function openSet(
  file: string,
  listFile: string | undefined,
  salt: Uint8Array | undefined,
  trust: TrustedAt,
  session: Session,
): Promise<OpenedSet> {
  const message = await messageIn(file, session)
  const { keyring, receivedAt } = trust
  const set = await verifySet(message, { keyring, receivedAt, salt })
  if (listFile === undefined) return { set, list: undefined }
  const list = await listIn(listFile, salt, session, set.size)
  return { set: await verifySet(message, { keyring, receivedAt, salt, list }), list }
}

function ofSet(set: VerifiedSet): SetReport {
  const { name, rows, size, signer, timestamp, sorted, id, root, host } = set
  const signedBy = set.signedBy?.name
  const order = sorted === 'checked' ? ', whose order was checked' : ''
  const what = `${count(rows)} payloads, ${count(size)} different${order}`
  return {
    row: shown`${green('✓')} set ${name || '(no name)'}: ${what}, sealed by ${signedBy ?? signer} at ${timestamp}`,
    json: {
      ...{ verified: true, name, rows, size, sorted },
      ...{ signer, signedBy, timestamp, host, id, root },
    },
  }
}

function ofProof(set: VerifiedSet, proof: Uint8Array, item: Parameters<typeof verifyMember>[2]): SetReport {
  if (readProof(proof).says === 'member') {
    const { index } = verifyMember(set, proof, item)
    return { row: shown`${green('✓')} the payload is in the set`, json: { payload: 'member', index } }
  }
  const { sorted } = verifyAbsent(set, proof, item)
  const note = sorted === 'checked' ? '' : ', if its signer has sorted it: --list checks that'
  return {
    row: shown`${green('✓')} the payload is not in the set${note}`,
    json: { payload: 'absent', sorted },
  }
}

async function changed(before: OpenedSet, after: OpenedSet, file: string | undefined, session: Session) {
  const update = file === undefined ? undefined : await messageIn(file, session)
  const lists = before.list && after.list ? { before: before.list, after: after.list } : undefined
  return verifyUpdate(before.set, after.set, { update, lists })
}

function ofUpdate({ added, removed, others }: VerifiedUpdate): SetReport {
  const note = others === 'checked' ? 'and nothing else' : 'and maybe more: only both lists show that'
  return {
    row: shown`${green('✓')} ${count(added.length)} added, ${count(removed.length)} removed, ${note}`,
    json: { added, removed, others },
  }
}
