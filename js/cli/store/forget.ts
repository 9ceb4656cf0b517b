import type { PayloadName } from 'alvarium-sdk/score'
import type { AuditReport, ForgetSelection, Forgotten, Store } from 'alvarium-sdk/store'
import { needs } from '../../foundation/base/errors.js'
import { OUTCOMES } from '../../foundation/model/outcome.js'
import { invalid } from '../fault.js'
import { noteRecords } from '../input/payloads.js'
import { textIfAny, textIn } from '../input/text.js'
import { type TrustOptions, trustedBy } from '../keys/trusted.js'
import { EXIT, type ExitCode, type Run, type Session } from '../session.js'
import { assertFree, writeNew } from '../set/files.js'
import { showWaiting } from '../terminal/progress.js'
import { green, type SafeText, safeText } from '../terminal/safe-text.js'
import { count, countOf } from '../terminal/words.js'
import { auditOf } from './audit.js'
import { type DatabaseOptions, storeAt } from './database.js'
import { type PayloadOptions, payloadIn } from './payload.js'
import { UNSIGNED_NOTE } from './prune.js'

interface ForgetArguments extends DatabaseOptions, PayloadOptions, TrustOptions {
  readonly payloadKeys?: string
  readonly tag?: string
  readonly inputsOf?: string
  readonly report?: string
  readonly checkpoint?: string
  readonly vkey?: string
}

export const run: Run<ForgetArguments> = async ([argument], options, session) => {
  const { report } = options
  const { selection, request } = await selectionIn(argument, options, session)
  if (report === undefined) assertNoAudit(options)
  else assertFree('--report', report)
  const keyring = hasTrust(options) ? (await trustedBy(options, session)).keyring : []
  const checkpoint = await textIfAny('--checkpoint', options.checkpoint)
  session.begin()
  await using store = await storeAt(options, session, { keyring, classic: true })
  const done = await showWaiting(session, 'forgetting', () => store.forget(selection))
  await session.out.show(options.json, done, () => [forgottenRow(done)])
  if (report !== undefined) {
    const audit = await auditOf(store, auditOptions({ ...options, checkpoint }), session)
    await writeNew('--report', report, [reportOf(request, done, audit)], session)
  }
  return codeOf(argument, done, options, session)
}

async function codeOf(
  argument: string | undefined,
  { bundles, payloads }: Forgotten,
  { payloadKey = false }: ForgetArguments,
  session: Session,
): Promise<ExitCode> {
  if (bundles > 0) await session.err.undecided(UNSIGNED_NOTE)
  if (payloads > 0) return EXIT.yes
  const name = argument === undefined ? 'such a payload' : 'this payload'
  await session.err.undecided(`no bundle of this store names ${name}`)
  if (argument !== undefined && !payloadKey) await noteRecords(argument, session)
  return EXIT.unknown
}

function hasTrust({ key, trust }: TrustOptions): boolean {
  return key !== undefined || trust !== undefined
}

function assertNoAudit({ key, trust, checkpoint, vkey }: ForgetArguments): void {
  const given = Object.entries({ key, trust, checkpoint, vkey }).find(([, value]) => value !== undefined)
  if (given)
    throw needs('--report', `a file for the report, because only the audit in the report uses --${given[0]}`)
}

function auditOptions({ checkpoint, vkey }: { checkpoint: string | undefined; vkey?: string | undefined }) {
  return checkpoint === undefined ? { itself: true, vkey } : { checkpoint, vkey }
}

interface SelectionRequest {
  readonly selection: Parameters<Store['forget']>[0]
  /** Words for the report that say which payloads were to be forgotten. They contain no payload keys. */
  readonly request: string
}

async function selectionIn(
  argument: string | undefined,
  options: ForgetArguments,
  session: Session,
): Promise<SelectionRequest> {
  const { payloadKeys, tag, inputsOf } = options
  const given = [argument, payloadKeys, tag, inputsOf].filter((one) => one !== undefined)
  if (given.length !== 1) {
    const names = '<payload>, --payload-keys, --tag and --inputs-of'
    throw invalid('<payload>', `exactly one of ${names}`, `${given.length}`)
  }
  if (argument !== undefined)
    return { selection: await payloadIn(argument, options, session), request: 'one payload' }
  if (payloadKeys !== undefined) return readKeys(payloadKeys, options)
  if (tag !== undefined) return { selection: { tag }, request: 'payloads with a tag' }
  const payload = await payloadIn(inputsOf ?? '', options, session)
  return { selection: { inputsOf: payload }, request: 'the inputs of a payload' }
}

async function readKeys(path: string, { hash }: ForgetArguments): Promise<SelectionRequest> {
  const lines = (await textIn('--payload-keys', path)).split(/\r?\n/)
  const payloads = lines.filter((line) => line !== '').map((key): PayloadName => ({ key, hash }))
  if (payloads.length === 0)
    throw invalid('--payload-keys', 'a file with a payload key on each line', 'an empty file')
  const selection: ForgetSelection = { payloads }
  return { selection, request: `a list of ${count(payloads.length)} payload keys` }
}

function forgottenRow({ payloads, bundles, messages }: Forgotten): SafeText {
  const removed = `${countOf(bundles, 'bundle')} pruned, ${countOf(messages, 'message')}`
  return safeText`${green('✓')} ${countOf(payloads, 'payload')} forgotten: ${removed}`
}

/** Returns a Markdown report on a removal: bundles, log entries, audit, and places that may still have data. */
function reportOf(request: string, done: Forgotten, audit: AuditReport): string {
  const { payloads, bundles, messages, prunings } = done
  const { outcome, verdict, says, needs } = audit
  return `${[
    '# Removal from an Alvarium store',
    '',
    `- When: ${new Date().toISOString()}`,
    `- Asked for: ${request}`,
    `- Removed: ${countOf(payloads, 'payload')}, ${countOf(bundles, 'bundle')}, ${countOf(messages, 'message')}`,
    ...prunings.map((id) => `- Entry of the store's log: ${id}, ${signedText(audit, id)}`),
    `- Audit afterwards: ${OUTCOMES[outcome].mark} ${verdict}: ${says}`,
    ...(needs === undefined ? [] : [`- For more: ${needs}`]),
    `- In the log: ${count(audit.size)} entries, of which ${count(audit.pruned)} are pruned`,
    '',
    'The log keeps the place and the id of each bundle, and names none of these payloads. What was made from them says when they were forgotten.',
    '',
    'Not removed by this command, and to be removed there:',
    '',
    ...OTHER_PLACES.map((one) => `- ${one}`),
  ].join('\n')}\n`
}

const OTHER_PLACES = [
  'quarantined messages of unknown signers: they go after 30 days, or with `alvarium store prune`',
  'tags, kinds and hosts that name a person',
  'backups, WAL and replicas of the database, and rows that `vacuum` has not removed yet',
  'the broker, outboxes, exports, packs and other stores',
]

function signedText({ prunings }: AuditReport, id: string): string {
  const checkpoint = prunings.find((one) => one.id === id)?.checkpoint ?? 'none'
  return checkpoint === 'none'
    ? 'in no signed checkpoint yet (alvarium store checkpoint)'
    : 'in a signed checkpoint'
}
