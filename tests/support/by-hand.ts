import { type generateKey, keyOf, signBytes, toHex } from 'alvarium-sdk'
import { type IssueLeaseOptions, issueLease } from 'alvarium-sdk/trust'
import { base64, concat, fromHex, utf8 } from './bytes.js'
import { messageOf } from './checkpoints.js'
import { digest } from './digest.js'

/*
 * Messages and checkpoints as FORMAT.md has them, written without the package's writers: a hostile signer can write
 * anything.
 */

const sha256 = (...parts: Uint8Array[]) => fromHex(digest('sha256', concat(...parts)))

export type Party = ReturnType<typeof generateKey>

export interface LoggedMessage {
  readonly message: Uint8Array
  /** Leaf hash. */
  readonly leaf: Uint8Array
}

export interface BundleFields {
  readonly payload: string
  readonly timestamp: string
  readonly host?: string
}

const u32 = (number: number) => Uint8Array.of(number >>> 24, number >>> 16, number >>> 8, number)
const text = (value: string) => concat(u32(utf8(value).length), utf8(value))

export function bundleBy(party: Party, { payload, timestamp, host = 'edge-7' }: BundleFields): LoggedMessage {
  const annotation = { id: '01M7XNDGJA9YWRYZVYCDF1Y000', kind: 'src', tag: 'v1', isSatisfied: true }
  const said = { key: keyOf(utf8(payload)), hash: 'sha256', host, layer: 'app', timestamp }
  const identity = concat(
    utf8('alvarium.AnnotationBundle/1\n'),
    ...[text('create'), text(said.key), Uint8Array.of(0), text(said.hash), text(host), text(said.layer)],
    ...[text(timestamp), text(party.keyId), u32(1), text(annotation.id), text('src'), text('v1')],
    Uint8Array.of(1),
  )
  const signature = toHex(signBytes(party.signingKey, identity))
  const content = { signature, signer: party.keyId, ...said, annotations: [annotation] }
  const message = { action: 'create', messageType: 'alvarium.AnnotationBundle/1', content }
  return { message: utf8(JSON.stringify(message)), leaf: sha256(Uint8Array.of(0), identity) }
}

/** Returns the root over some leaves: RFC 9162 §2.1.1. */
export function rootOf(leaves: readonly Uint8Array[]): Uint8Array {
  if (leaves.length < 2) return leaves[0] ?? sha256()
  let left = 1
  while (2 * left < leaves.length) left *= 2
  return sha256(Uint8Array.of(1), rootOf(leaves.slice(0, left)), rootOf(leaves.slice(left)))
}

/** Returns the roots of the complete subtrees of a log, the largest first. */
export function peaksOf(leaves: readonly Uint8Array[]): Uint8Array[] {
  let width = 1
  while (2 * width <= leaves.length) width *= 2
  const peaks: Uint8Array[] = []
  for (let at = 0; width >= 1; width /= 2) {
    if (leaves.length - at < width) continue
    if (leaves.length > 0) peaks.push(rootOf(leaves.slice(at, at + width)))
    at += width
  }
  return peaks
}

/** Returns the root of the log that has these peaks. */
export const foldOf = (peaks: readonly Uint8Array[]): Uint8Array =>
  peaks.length === 0 ? sha256() : peaks.reduceRight((root, peak) => sha256(Uint8Array.of(1), peak, root))

export interface CheckpointLines {
  readonly run: string
  readonly number: number
  /** The whole log, up to the size of the checkpoint. */
  readonly log: readonly LoggedMessage[]
  /** First position of its list. Default: 0. */
  readonly first?: number
  readonly from: string
  readonly at: string
  /** Peaks, or the text of their line. Default: those of the log, so that a lease can prove it. `false`: no such line. */
  readonly peaks?: readonly Uint8Array[] | string | false
  /** Root before its list. Default: that of the log. */
  readonly fromRoot?: Uint8Array
  /** Root behind its list. Default: that of the log. */
  readonly root?: Uint8Array
  readonly after?: string
  readonly pending?: string
  readonly refused?: string
  readonly end?: boolean
  /** Lines of other signers behind the signature. */
  readonly lines?: readonly string[]
}

export function checkpointBy(party: Party, given: CheckpointLines): Uint8Array {
  const { run, number, log, first = 0, from, at, after, pending, refused, end, lines = [] } = given
  const leaves = log.map(({ leaf }) => leaf)
  const before = leaves.slice(0, first)
  const peaks = given.peaks ?? peaksOf(before)
  const name = `checkpoint.alvarium/1/${party.keyId}/${run}`
  const { fromRoot = rootOf(before), root = rootOf(leaves) } = given
  const written = [name, `${leaves.length}`, base64(root), `number ${number}`]
  written.push(`from ${first} ${base64(fromRoot)} ${from}`)
  if (typeof peaks === 'string') written.push(peaks)
  else if (peaks) written.push(peaks.length > 0 ? `peaks ${base64(concat(...peaks))}` : 'peaks')
  if (after !== undefined) written.push(`after ${after}`)
  written.push(`at ${at}`)
  const list = leaves.slice(first).map((leaf) => (peaks ? leaf : leaf.subarray(0, 8)))
  if (list.length > 0) written.push(`bundles ${base64(concat(...list))}`)
  if (pending !== undefined) written.push(`pending ${pending}`)
  if (refused !== undefined) written.push(`refused ${refused}`)
  if (end) written.push('end')
  const signed = `${written.join('\n')}\n`
  return messageOf(
    `${signed}\n${[noteLine(party, name, signed), ...lines].map((one) => `${one}\n`).join('')}`,
  )
}

/** Signs the text of a note under any name, and returns the line. */
export function noteLine(party: Party, name: string, signed: string): string {
  const id = sha256(utf8(`${name}\n`), Uint8Array.of(1), party.verifyingKey).subarray(0, 4)
  return `\u2014 ${name} ${base64(concat(id, signBytes(party.signingKey, utf8(signed))))}`
}

/** Returns the words of an `after` line about a run: its id, size and root. */
export const afterOf = (run: string, log: readonly LoggedMessage[], size = log.length): string =>
  `${run} ${size} ${base64(rootOf(log.map(({ leaf }) => leaf)))}`

/** Returns a lease of one key for another, from one time until another. */
export function leaseBy(
  issuer: Party,
  subject: Party,
  from: string,
  until: string,
  terms: Partial<IssueLeaseOptions> = {},
): Promise<Uint8Array> {
  const ttlMs = Date.parse(until) - Date.parse(from)
  return issueLease(issuer.signingKey, { subject: subject.signingKey, from: new Date(from), ttlMs, ...terms })
}

/** Returns the state of a log, as a lease states it. */
export const stateOf = (run: string, log: readonly LoggedMessage[]) => ({
  run,
  size: log.length,
  root: toHex(rootOf(log.map(({ leaf }) => leaf))),
})
