import {
  type ReceivedBundle,
  type ReceivedClassic,
  type Subscription,
  subscribe,
  type VerifiedAnnotation,
  type VerifiedBundle,
} from 'alvarium-sdk'
import { file } from 'alvarium-sdk/file'
import { isLease } from '../../consume/beside.js'
import { type LeasedOptions, trustedBy } from '../keys/trusted.js'
import { subscriptionTo, type TopicOptions, tellOf } from '../messages/topic.js'
import type { Run, Session } from '../session.js'
import { conclude } from '../terminal/outcome.js'
import { count } from '../terminal/words.js'
import { jsonOf, rowsOf } from '../verify/report.js'
import { Tally } from '../verify/tally.js'
import { classicVerdict, refused, type Verdict } from '../verify/verdict.js'

/** What `alvarium listen` can be asked for. */
interface ListenOptions extends TopicOptions, FilterOptions, LeasedOptions {
  readonly json?: boolean
  readonly raw?: boolean
  readonly deadLetters?: string
}

type ReceivedOne = ReceivedBundle | ReceivedClassic

export const run: Run<ListenOptions> = async ([url = '', topic = ''], options, session) => {
  const { count: most = Number.POSITIVE_INFINITY } = options
  const subscription = await subscriptionTo(url, topic, options)
  const { keyring, leases } = await trustedBy(options, session)
  session.begin()
  const beside = options.raw ? (message: Uint8Array) => showBeside(message, session) : undefined
  const messages = subscribe({
    ...subscription,
    ...{ signal: session.interrupted, keyring, classic: true },
    leases: leases && { known: leases, onLease: beside },
    completeness: beside && (await watchOf(beside)),
    ...(options.deadLetters !== undefined && { deadLetter: file({ path: options.deadLetters }) }),
  })
  const tally = new Tally(['message or bundle', 'messages and bundles'])
  let shownCount = 0
  tellRejected(messages, session, tally)
  await tellOf(messages, { url, topic }, session)
  for await (const one of messages) {
    const verdict = verdictOf(one)
    tally.add(verdict.is)
    if (!isWanted(saidBy(one), options)) continue
    await show(one, verdict, options, session)
    if (++shownCount >= most) {
      await one.ack()
      break
    }
  }
  const { outcome, says, needs } = tally.judged
  const judged = { outcome, says: `${says}; ${count(shownCount)} shown`, needs }
  // Apart from what came, which may go into a file.
  return conclude(judged, options, { out: session.err, err: session.err })
}

function tellRejected(messages: Subscription<ReceivedOne>, { err }: Session, tally: Tally): void {
  messages.addEventListener('rejected', ({ topic, error }) => {
    const verdict = refused(topic, error)
    tally.add(verdict.is)
    for (const row of rowsOf({ verdict })) void err.line(row)
  })
}

async function show(
  one: ReceivedOne,
  verdict: Verdict,
  { json = false, raw = false }: ListenOptions,
  session: Session,
): Promise<void> {
  if (raw) return showRaw(one, session)
  if (json) return session.out.json({ topic: one.topic, ...jsonOf({ verdict }) })
  for (const row of rowsOf({ verdict })) await session.out.line(row)
}

/** A batch is one message, whichever of its bundles is the first that was asked for. */
const written = new WeakSet<Uint8Array>()

/** On one line, and with what a terminal would act on escaped: signatures are over values, and hold. */
async function showRaw({ message }: ReceivedOne, { out }: Session): Promise<void> {
  if (written.has(message)) return
  written.add(message)
  await out.json(JSON.parse(new TextDecoder().decode(message)))
}

/** With the code for checkpoints, which is loaded for an archive alone. */
async function watchOf(onCheckpoint: (checkpoint: Uint8Array) => Promise<void>) {
  const { completeness } = await import('alvarium-sdk/completeness')
  return completeness({ onCheckpoint })
}

/** Leases and checkpoints that verify: an archive needs them. A lease has one spelling, which is one line. */
async function showBeside(message: Uint8Array, { out }: Session): Promise<void> {
  const text = new TextDecoder().decode(message)
  if (isLease(message)) await out.write(`${text}\n`)
  else await out.json(JSON.parse(text))
}

function verdictOf(one: ReceivedOne): Verdict {
  const place = one.topic
  if (one.format === 'bundle') return { place, is: 'verified', format: 'bundle', bundles: [bundleOf(one)] }
  return classicVerdict(place, one)
}

/** What was signed, without what is for loops alone. */
function bundleOf(one: ReceivedBundle): VerifiedBundle {
  const { id, action, key, previousKey, inputs, hash, host, layer, timestamp, signer, annotations } = one
  const { payloadChecked, signedBy } = one
  const made = { ...(previousKey !== undefined && { previousKey }), ...(inputs && { inputs }) }
  const said = { id, action, key, ...made, hash, host, layer, timestamp, signer, annotations }
  return { ...said, payloadChecked, ...(signedBy && { signedBy }) }
}

/** What to show of what comes. */
interface FilterOptions {
  readonly action?: readonly string[]
  readonly kind?: readonly string[]
  readonly host?: readonly string[]
  readonly satisfied?: boolean
  readonly unsatisfied?: boolean
}

/** What came, in the words that bundles and classic messages have in common. */
interface Filterable {
  readonly action: string
  readonly hosts: readonly string[]
  readonly annotations: readonly { readonly kind: string; readonly isSatisfied: boolean }[]
}

/** What verified of a message. */
function saidBy(one: ReceivedBundle | ReceivedClassic): Filterable {
  const { action } = one
  if (one.format === 'bundle') return { action, hosts: [one.host], annotations: one.annotations }
  const annotations = verifiedIn(one)
  return { action, hosts: annotations.map(({ host }) => host), annotations }
}

/** The annotations of a classic message that verified. */
function verifiedIn({ annotations }: Pick<ReceivedClassic, 'annotations'>): VerifiedAnnotation[] {
  return annotations.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
}

/** Whether somebody asked for this. */
function isWanted(said: Filterable, options: FilterOptions): boolean {
  const { action, kind, host, satisfied, unsatisfied } = options
  if (action && !action.includes(said.action)) return false
  if (host && !said.hosts.some((one) => host.includes(one))) return false
  const asked = kind ? said.annotations.filter((one) => kind.includes(one.kind)) : said.annotations
  if (kind && asked.length === 0) return false
  const isEach = asked.every(({ isSatisfied }) => isSatisfied)
  return !(satisfied && !isEach) && !(unsatisfied && isEach)
}
