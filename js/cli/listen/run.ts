import {
  type ReceivedBundle,
  type ReceivedClassic,
  type Subscription,
  subscribe,
  type VerifiedAnnotation,
  type VerifiedBundle,
} from 'alvarium-sdk'
import { isLease } from '../../verifying/consume/control-messages.js'
import { onlyWith } from '../fault.js'
import { type LeasedOptions, trustedBy } from '../keys/trusted.js'
import { assertKeptOutput } from '../messages/messages.js'
import { openAndReport, subscriptionTo, type TopicOptions } from '../messages/topic.js'
import type { Run, Session } from '../session.js'
import { conclude } from '../terminal/outcome.js'
import { jsonText } from '../terminal/output.js'
import type { SafeText } from '../terminal/safe-text.js'
import { count } from '../terminal/words.js'
import { jsonOf, verdictRows } from '../verify/report.js'
import { Tally } from '../verify/tally.js'
import { classicVerdict, refusalVerdict, type Verdict } from '../verify/verdict.js'
import { type NamedFile, namedFile, openArchive } from './archive.js'

interface ListenOptions extends TopicOptions, FilterOptions, LeasedOptions {
  readonly json?: boolean
  readonly raw?: boolean
  readonly out?: string
  readonly deadLetters?: string
}

type ReceivedOne = ReceivedBundle | ReceivedClassic

export const run: Run<ListenOptions> = async ([url = '', topic = ''], options, session) => {
  assertOutput(options, session)
  const subscription = await subscriptionTo(url, topic, options)
  const { keyring, leases } = await trustedBy(options, session)
  session.begin()
  const archive = await archiveFor(options, session)
  try {
    const write = writerTo(archive, session)
    const onControlMessage = options.raw
      ? (message: Uint8Array) => writeControlMessage(message, write)
      : undefined
    const messages = subscribe({
      ...subscription,
      signal: session.interrupted,
      keyring,
      classic: true,
      leases: leases && { known: leases, onLease: onControlMessage },
      completeness: onControlMessage && (await watchOf(onControlMessage)),
      ...(options.deadLetters !== undefined && {
        deadLetter: namedFile('--dead-letters', { path: options.deadLetters }),
      }),
    })
    const tally = new Tally(['message or bundle', 'messages and bundles'])
    tellRejected(messages, session, tally)
    await openAndReport(messages, { url, topic }, session)
    const shownCount = await showAll(messages, tally, options, write)
    const { outcome, says, needs } = tally.judged
    const judged = { outcome, says: `${says}; ${count(shownCount)} shown`, needs }
    // Print the verdict to standard error, because standard output may be a file of messages.
    return conclude(judged, options, { out: session.err, err: session.err })
  } finally {
    await archive?.close()
  }
}

type Write = (lines: readonly (string | SafeText)[]) => Promise<unknown>

/** Refuses a durable subscription to a pipe, which may lose messages, and `--out` without `--raw` or `--json`. */
function assertOutput(options: ListenOptions, session: Session): void {
  const { out, raw = false, json = false } = options
  if (out === undefined) assertKeptOutput(options, session)
  else if (!raw && !json) throw onlyWith('--out', '--raw or --json')
}

async function archiveFor(options: ListenOptions, { err }: Session): Promise<NamedFile | undefined> {
  const { out, key = [], trust = [], passwordFile = [], ca = [] } = options
  return out === undefined ? undefined : openArchive(out, [key, trust, passwordFile, ca].flat(), err)
}

function writerTo(archive: NamedFile | undefined, { out }: Session): Write {
  if (archive) return (lines) => Promise.all(lines.map((line) => archive.publish(utf8.encode(`${line}`))))
  const write = (line: string | SafeText) =>
    typeof line === 'string' ? out.write(`${line}\n`) : out.line(line)
  return (lines) => Promise.all(lines.map(write))
}

const utf8 = new TextEncoder()

/** Limits of a group of bundles that are flushed and acknowledged together: bundles, and milliseconds. */
const GROUP = { max: 256, maxMs: 10 }

/**
 * Shows bundles until `--count` bundles are shown. Acknowledges each one after writing it.
 *
 * @returns the number of bundles shown
 */
async function showAll(
  messages: Subscription<ReceivedOne>,
  tally: Tally,
  options: ListenOptions,
  write: Write,
): Promise<number> {
  const { count: maxCount = Number.POSITIVE_INFINITY } = options
  let shownCount = 0
  for await (const { bundles } of messages.groups(GROUP)) {
    const [seen, writing]: [ReceivedOne[], Promise<unknown>[]] = [[], []]
    for (const one of bundles) {
      if (shownCount >= maxCount) break
      seen.push(one)
      const verdict = verdictOf(one)
      tally.add(verdict.is)
      if (!isWanted(filterFieldsOf(one), options)) continue
      writing.push(write(linesOf(one, verdict, options)))
      shownCount++
    }
    await Promise.all(writing)
    if (shownCount < maxCount) continue
    await Promise.all(seen.map((one) => one.ack()))
    break
  }
  return shownCount
}

function tellRejected(messages: Subscription<ReceivedOne>, { err }: Session, tally: Tally): void {
  messages.addEventListener('rejected', ({ topic, error }) => {
    const verdict = refusalVerdict(topic, error)
    tally.add(verdict.is)
    for (const row of verdictRows({ verdict })) void err.line(row)
  })
}

function linesOf(
  one: ReceivedOne,
  verdict: Verdict,
  { json = false, raw = false }: ListenOptions,
): readonly (string | SafeText)[] {
  if (raw) return rawOf(one)
  return json ? [jsonText({ topic: one.topic, ...jsonOf({ verdict }) })] : verdictRows({ verdict })
}

/** Messages already written. A batch is one message, but its bundles arrive one by one. */
const writtenMessages = new WeakSet<Uint8Array>()

/** Formats a message on one line, with control characters escaped. The signatures still verify after that. */
function rawOf({ message }: ReceivedOne): string[] {
  if (writtenMessages.has(message)) return []
  writtenMessages.add(message)
  return [jsonText(JSON.parse(new TextDecoder().decode(message)))]
}

/** Returns a collector of checkpoints. Loads its module lazily, because only `--raw` needs it. */
async function watchOf(onCheckpoint: (checkpoint: Uint8Array) => Promise<void>) {
  const { completeness } = await import('alvarium-sdk/completeness')
  return completeness({ onCheckpoint })
}

/** Writes a verified lease or checkpoint on one line. The encoding of a lease is already one line. */
async function writeControlMessage(message: Uint8Array, write: Write): Promise<void> {
  const text = new TextDecoder().decode(message)
  await write([isLease(message) ? text : jsonText(JSON.parse(text))])
}

function verdictOf(one: ReceivedOne): Verdict {
  const place = one.topic
  if (one.format === 'bundle') return { place, is: 'verified', format: 'bundle', bundles: [bundleOf(one)] }
  return classicVerdict(place, one)
}

function bundleOf(one: ReceivedBundle): VerifiedBundle {
  const { id, action, key, previousKey, inputs, hash, host, layer, timestamp, signer, annotations } = one
  const { payloadChecked, signedBy } = one
  const sourceFields = { ...(previousKey !== undefined && { previousKey }), ...(inputs && { inputs }) }
  const fields = { id, action, key, ...sourceFields, hash, host, layer, timestamp, signer, annotations }
  return { ...fields, payloadChecked, ...(signedBy && { signedBy }) }
}

interface FilterOptions {
  readonly action?: readonly string[]
  readonly kind?: readonly string[]
  readonly host?: readonly string[]
  readonly satisfied?: boolean
  readonly unsatisfied?: boolean
}

/** Fields that the filter options compare. Bundles and classic messages both have these fields. */
interface Filterable {
  readonly action: string
  readonly hosts: readonly string[]
  readonly annotations: readonly { readonly kind: string; readonly isSatisfied: boolean }[]
}

function filterFieldsOf(one: ReceivedBundle | ReceivedClassic): Filterable {
  const { action } = one
  if (one.format === 'bundle') return { action, hosts: [one.host], annotations: one.annotations }
  const annotations = verifiedIn(one)
  return { action, hosts: annotations.map(({ host }) => host), annotations }
}

function verifiedIn({ annotations }: Pick<ReceivedClassic, 'annotations'>): VerifiedAnnotation[] {
  return annotations.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
}

function isWanted(fields: Filterable, options: FilterOptions): boolean {
  const { action, kind, host, satisfied, unsatisfied } = options
  if (action && !action.includes(fields.action)) return false
  if (host && !fields.hosts.some((one) => host.includes(one))) return false
  const matches = kind ? fields.annotations.filter((one) => kind.includes(one.kind)) : fields.annotations
  if (kind && matches.length === 0) return false
  const isEach = matches.every(({ isSatisfied }) => isSatisfied)
  return !(satisfied && !isEach) && !(unsatisfied && isEach)
}
