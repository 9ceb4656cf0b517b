import { toBase64 } from '../base/bytes/base64.js'
import { toBytes } from '../base/bytes/hex.js'
import { HASH_BYTES } from '../core/hashed.js'
import { originOf } from '../logs/run-origin.js'
import type { LogSize } from '../logs/size.js'
import { type Positions, writtenRanges } from './ranges.js'

/** A message of the log: a single bundle, or a batch. */
export interface LogEntry {
  /** The first eight bytes of its leaf hash, which of a single bundle is its id: 16 lower-case hexadecimal digits. */
  readonly id: string
  /** How many bundles it has. */
  readonly bundles: number
  /** All 32 bytes of its leaf hash, if the checkpoint has `peaks`: 64 lower-case hexadecimal digits. */
  readonly leaf?: string | undefined
}

/** What a signer says of what it has signed: the text of a checkpoint. Positions count messages, from 0. */
export interface Checkpoint extends LogSize {
  /** Key id of the signer. */
  readonly signer: string
  /** The run: one life of a signer. 32 hexadecimal digits. */
  readonly run: string
  /** How many checkpoints of the run came before this one. */
  readonly number: number
  /** Where its list begins: size and root of the checkpoint before it, and when that was signed, or when the run began. */
  readonly from: LogSize & { readonly at: string }
  /**
   * The roots of the complete subtrees of the log at `from`, the largest first, 64 lower-case hexadecimal digits each. With the leaves of
   * its list they give `root`. Who signs by leases has them in its checkpoints: so a lease can prove what lies in the log.
   */
  readonly peaks?: readonly string[] | undefined
  /** When it was signed, by the signer's clock. */
  readonly at: string
  /** The run before this one, as far as the signer knows. */
  readonly after?: (LogSize & { readonly run: string }) | undefined
  /** Its list: the messages from `from.size` up to `size`. */
  readonly entries: readonly LogEntry[]
  /** Messages that the stream had not accepted yet. They may be lost, or arrive later. */
  readonly pending: readonly Positions[]
  /** Messages that the stream has refused since the checkpoint before. They may have arrived all the same. */
  readonly refused: readonly Positions[]
  /** Whether the run ended with it. */
  readonly isLast: boolean
}

/** FORMAT.md, Limits: messages in the list of one checkpoint. */
export const MOST_ENTRIES = 16_384
/** So much of a leaf hash stands in a list. */
export const ENTRY_BYTES = 8

/** The list of a checkpoint, as it is written. */
export interface WrittenList {
  /** The first eight bytes of each leaf hash; all of them if there are peaks. */
  readonly ids: Uint8Array
  /** How many bundles each stands for. */
  readonly bundles: readonly number[]
}

/** The text that is signed. */
export function writeText(checkpoint: Omit<Checkpoint, 'entries'>, list: WrittenList): string {
  const { signer, run, size, root, number, from, peaks, after, at, pending, refused, isLast } = checkpoint
  const lines = [originOf(signer, run), `${size}`, base64(root), `number ${number}`]
  lines.push(`from ${from.size} ${base64(from.root)} ${from.at}`)
  if (peaks) lines.push(peaks.length === 0 ? 'peaks' : `peaks ${base64(peaks.join(''))}`)
  if (after) lines.push(`after ${after.run} ${after.size} ${base64(after.root)}`)
  lines.push(`at ${at}`, ...writtenList(list, peaks ? HASH_BYTES : ENTRY_BYTES))
  if (pending.length > 0) lines.push(`pending ${writtenRanges(pending)}`)
  if (refused.length > 0) lines.push(`refused ${writtenRanges(refused)}`)
  if (isLast) lines.push('end')
  return `${lines.join('\n')}\n`
}

function* writtenList({ ids, bundles }: WrittenList, bytes: number): Generator<string, void> {
  const idsOf = (from: number, until: number) => toBase64(ids.subarray(bytes * from, bytes * until))
  for (let at = 0; at < bundles.length; ) {
    const begin = at
    while (bundles[at] === 1) at++
    if (at > begin) yield `bundles ${idsOf(begin, at)}`
    else yield `batch ${bundles[at]} ${idsOf(at, ++at)}`
  }
}

function base64(hex: string): string {
  return toBase64(toBytes(hex) as Uint8Array)
}
