import { toBase64 } from '../../../foundation/base/bytes/base64.js'
import { toBytes } from '../../../foundation/base/bytes/hex.js'
import { HASH_BYTES } from '../../../foundation/core/tree.js'
import { originOf } from '../../logs/run-origin.js'
import type { LogSize } from '../../logs/size.js'
import { type Positions, writeRanges } from './ranges.js'

/** A message of the log: a single bundle, or a batch. */
export interface LogEntry {
  /** First eight bytes of its leaf hash: 16 lower-case hexadecimal digits. The leaf hash of a single bundle is its id. */
  readonly id: string
  /** Number of bundles in the message. */
  readonly bundles: number
  /** All 32 bytes of its leaf hash, if the checkpoint has `peaks`: 64 lower-case hexadecimal digits. */
  readonly leaf?: string | undefined
}

/** Text of a checkpoint: a signer's statement of the messages that it has signed. Positions count messages, from 0. */
export interface Checkpoint extends LogSize {
  /** Key id of the signer. */
  readonly signer: string
  /** Run id: one life of a signer. 32 hexadecimal digits. */
  readonly run: string
  /** Number of checkpoints of the run before this one. */
  readonly number: number
  /**
   * Beginning of its list: size and root of the checkpoint before it, and the time at which that was signed, or the run
   * began.
   */
  readonly from: LogSize & { readonly at: string }
  /**
   * Roots of the complete subtrees of the log at `from`, the largest first, 64 lower-case hexadecimal digits each.
   * With the leaves of the list they give `root`. Signers with leases or witnesses include them, so that a lease can
   * prove the contents of the log.
   */
  readonly peaks?: readonly string[] | undefined
  /** Time of the signature, by the signer's clock. */
  readonly at: string
  /** Run before this one, as far as the signer knows. */
  readonly after?: (LogSize & { readonly run: string }) | undefined
  /** List of the messages from `from.size` up to `size`. */
  readonly entries: readonly LogEntry[]
  /** Messages that the stream had not accepted yet. They may be lost, or arrive later. */
  readonly pending: readonly Positions[]
  /** Messages that the stream has refused since the checkpoint before. They may have arrived nevertheless. */
  readonly refused: readonly Positions[]
  /** True if the checkpoint ends the run. */
  readonly isLast: boolean
}

/** Maximum number of messages in the list of one checkpoint (FORMAT.md, Limits). */
export const MAX_ENTRIES = 16_384
/** Bytes of a leaf hash in a list without peaks. */
export const ENTRY_BYTES = 8

/** List of a checkpoint, to be written. */
export interface WrittenList {
  /** First eight bytes of each leaf hash; all 32 if there are peaks. */
  readonly ids: Uint8Array
  /** Number of bundles of each message. */
  readonly bundles: readonly number[]
}

/** Returns the text to be signed. */
export function writeText(checkpoint: Omit<Checkpoint, 'entries'>, list: WrittenList): string {
  const { signer, run, size, root, number, from, peaks, after, at, pending, refused, isLast } = checkpoint
  const lines = [originOf(signer, run), `${size}`, base64(root), `number ${number}`]
  lines.push(`from ${from.size} ${base64(from.root)} ${from.at}`)
  if (peaks) lines.push(peaks.length === 0 ? 'peaks' : `peaks ${base64(peaks.join(''))}`)
  if (after) lines.push(`after ${after.run} ${after.size} ${base64(after.root)}`)
  lines.push(`at ${at}`, ...writeList(list, peaks ? HASH_BYTES : ENTRY_BYTES))
  if (pending.length > 0) lines.push(`pending ${writeRanges(pending)}`)
  if (refused.length > 0) lines.push(`refused ${writeRanges(refused)}`)
  if (isLast) lines.push('end')
  return `${lines.join('\n')}\n`
}

function* writeList({ ids, bundles }: WrittenList, bytes: number): Generator<string, void> {
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
