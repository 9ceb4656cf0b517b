import {
  type KeyList,
  type SetItem,
  type VerifiedSet,
  type VerifiedUpdate,
  verifyAbsent,
  verifyMember,
  verifySet,
  verifyUpdate,
} from 'alvarium-sdk/sets'
import { readProof } from '../../evidence/sets/proof-message.js'
import { AlvariumError, expected, needs } from '../../foundation/base/errors.js'
import { outcomeOfCode } from '../../foundation/model/outcome.js'
import { isManifestMessage } from '../../verifying/consume/control-messages.js'
import { onlyWith } from '../fault.js'
import { noteRecords } from '../input/payloads.js'
import { type TrustedAt, trustedAt } from '../keys/trusted.js'
import type { ExitCode, Run, Session } from '../session.js'
import { conclude, MARKS, NEEDS } from '../terminal/outcome.js'
import { showWaiting } from '../terminal/progress.js'
import { safeText } from '../terminal/safe-text.js'
import { count } from '../terminal/words.js'
import { assertNotLater } from '../verify/received.js'
import { type AskedPayload, askedPayload, variantsOf } from './asked.js'
import { assertReadOnce, listIn, messageIn, saltIn } from './files.js'
import type { SetReport, SetVerifyOptions } from './report.js'
import { foundByManifest } from './verify-record.js'

export const run: Run<SetVerifyOptions> = async (args, options, session) => {
  assertTogether(args, options)
  const trust = await trustedAt(options, session.err)
  try {
    const found = await showWaiting(session, 'verifying', () => foundBy(args, options, trust, session))
    for (const { row, json } of found)
      await session.out.show(options.json, json, () => [safeText`${MARKS.holds} ${row}`])
    const says = [...new Set(found.flatMap(({ words }) => words))].join(', ')
    return await conclude({ outcome: 'holds', says }, options, session)
  } catch (error) {
    if (!(error instanceof AlvariumError)) throw error
    return reportUnverified(error, options, session)
  }
}

async function reportUnverified(
  error: AlvariumError,
  options: SetVerifyOptions,
  session: Session,
): Promise<ExitCode> {
  const { code, message } = error
  const outcome = outcomeOfCode(code)
  if (outcome === 'cannot tell' && code !== 'SIGNER_UNKNOWN') throw error
  const needs = outcome === 'cannot tell' ? NEEDS.signer : undefined
  const row = safeText`${MARKS[outcome]} ${code}  ${message}`
  await session.out.show(options.json, { verified: false, outcome, needs, code, message }, () => [row])
  const says = outcome === 'cannot tell' ? 'unknown signer' : 'refused'
  return conclude({ outcome, says, needs }, options, session)
}

function assertTogether([set, proof, payload]: readonly string[], options: SetVerifyOptions): void {
  const { before, beforeList, update, list, payloadKey, record, expect } = options
  assertReadOnce({ set, proof, ...(!payloadKey && { payload }), '--before': before, '--update': update })
  if (proof !== undefined && payload === undefined) throw needs('payload', 'the payload of the proof')
  if (proof === undefined && record !== undefined) throw onlyWith('--record', 'a proof')
  if (proof === undefined && expect !== undefined) throw onlyWith('--expect', 'a proof')
  if (before === undefined && (update !== undefined || beforeList !== undefined)) {
    throw needs('--before', 'the set before the change')
  }
  if (before !== undefined && update === undefined && (beforeList === undefined || list === undefined)) {
    throw needs('--update', 'an update, or --before-list and --list')
  }
}

async function foundBy(
  args: readonly string[],
  options: SetVerifyOptions,
  trust: TrustedAt,
  session: Session,
): Promise<SetReport[]> {
  const [file = '', proof, payload = ''] = args
  const message = await messageIn(file, session)
  if (isManifestMessage(message)) return foundByManifest(args, message, options, trust, session)
  const salt = await saltIn(options.salt)
  const opened = await openSet(message, options.list, salt, trust, session)
  const { set } = opened
  const found = [ofSet(set)]
  if (proof !== undefined) {
    const requestedPayload = await askedPayload(payload, options, session)
    const shows = await messageIn(proof, session)
    found.push(await proofReport(set, shows, requestedPayload, options, session))
    if (readProof(shows).says === 'absent' && !options.payloadKey && options.record === undefined)
      await noteRecords(payload, session)
  }
  if (options.before !== undefined) {
    const earlier = await messageIn(options.before, session)
    const before = await openSet(earlier, options.beforeList, salt, trust, session)
    found.push(ofUpdate(await compareSets(before, opened, options.update, session)))
  }
  return found
}

interface OpenedSet {
  readonly set: VerifiedSet
  readonly list: KeyList | undefined
}

/** Verifies a set, then its list. The signed size limits how much of the list is read. */
async function openSet(
  message: Uint8Array,
  listFile: string | undefined,
  salt: Uint8Array | undefined,
  trust: TrustedAt,
  session: Session,
): Promise<OpenedSet> {
  const { keyring, receivedAt } = trust
  const set = await verifySet(message, { keyring, receivedAt, salt })
  assertNotLater(receivedAt, [set])
  if (listFile === undefined) return { set, list: undefined }
  const list = await listIn(listFile, salt, session, set.size)
  return { set: await verifySet(message, { keyring, receivedAt, salt, list }), list }
}

function ofSet(set: VerifiedSet): SetReport {
  const { name, rows, size, signer, timestamp, sorted, id, root, host } = set
  const signedBy = set.signedBy?.name
  const summary = `${count(rows)} payloads, ${count(size)} different, sorted: ${sorted}`
  return {
    words: ['verified', `sorted: ${sorted}`],
    row: safeText`verified: set ${name || '(no name)'}: ${summary}, sealed by ${signedBy ?? signer} at ${timestamp}`,
    json: {
      verified: true,
      outcome: 'holds',
      name,
      rows,
      size,
      sorted,
      signer,
      signedBy,
      timestamp,
      host,
      id,
      root,
    },
  }
}

async function proofReport(
  set: VerifiedSet,
  proof: Uint8Array,
  requestedPayload: AskedPayload,
  { expect }: SetVerifyOptions,
  session: Session,
): Promise<SetReport> {
  const { says } = readProof(proof)
  if (expect !== undefined && says !== expect)
    throw expected('PROOF_INVALID', 'proof.says', `${expect}, the value of --expect`, says)
  try {
    const report = ofProof(set, proof, requestedPayload.item)
    if (says === 'absent') await noteLineEnd(requestedPayload, session)
    return report
  } catch (error) {
    await noteVariants(set, proof, requestedPayload, session)
    throw error
  }
}

function ofProof(set: VerifiedSet, proof: Uint8Array, item: SetItem): SetReport {
  if (readProof(proof).says === 'member') {
    const { index } = verifyMember(set, proof, item)
    const row = safeText`member: the payload is in the set`
    return { words: ['member'], row, json: { payload: 'member', index } }
  }
  const { sorted } = verifyAbsent(set, proof, item)
  const note = sorted === 'checked' ? '' : ' by its signer: --list checks that'
  return {
    words: ['absent'],
    row: safeText`absent: the payload is not in the set, sorted: ${sorted}${note}`,
    json: { payload: 'absent', sorted },
  }
}

/** Prints a note if the payload has a line end, because the set may contain the payload without it. */
async function noteLineEnd(requestedPayload: AskedPayload, { err }: Session): Promise<void> {
  const [variant] = variantsOf(requestedPayload)
  if (variant?.how !== 'without its line end') return
  await err.note(`${variant.how} it is a different payload, which may be in the set`)
}

async function noteVariants(
  set: VerifiedSet,
  proof: Uint8Array,
  requestedPayload: AskedPayload,
  { err }: Session,
): Promise<void> {
  for (const { how, bytes } of variantsOf(requestedPayload)) {
    try {
      ofProof(set, proof, bytes)
    } catch (error) {
      if (error instanceof AlvariumError) continue
      throw error
    }
    await err.note(`the proof is about the payload ${how}`)
  }
}

async function compareSets(before: OpenedSet, after: OpenedSet, file: string | undefined, session: Session) {
  const update = file === undefined ? undefined : await messageIn(file, session)
  const lists = before.list && after.list ? { before: before.list, after: after.list } : undefined
  return verifyUpdate(before.set, after.set, { update, lists })
}

function ofUpdate({ added, removed, others }: VerifiedUpdate): SetReport {
  const note = others === 'checked' ? '' : ' (only both lists show that nothing else changed)'
  return {
    words: [`others: ${others}`],
    row: safeText`${count(added.length)} added, ${count(removed.length)} removed, others: ${others}${note}`,
    json: { added, removed, others },
  }
}
