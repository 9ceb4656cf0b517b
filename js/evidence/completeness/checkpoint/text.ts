import { toBase64 } from '../../../foundation/base/bytes/base64.js'
import { toBytes } from '../../../foundation/base/bytes/hex.js'
import { HASH_BYTES } from '../../../foundation/core/tree.js'
import { originOf } from '../../logs/run-origin.js'
import type { LogSize } from '../../logs/size.js'
import { type Positions, writeRanges } from './ranges.js'

/** Message in a log: a single bundle, or a batch. */
export interface LogEntry {
  /** First eight bytes of the leaf hash, in lower-case hexadecimal. The leaf hash of a single bundle is its id. */
  readonly id: string
  /** Number of bundles in the message. */
  readonly bundles: number
  /** All 32 bytes of the leaf hash, 64 lower-case hexadecimal digits, if the checkpoint has `peaks`. */
  readonly leaf?: string | undefined
}

/** A signer's statement of the messages that it has signed. Positions count messages, from 0. */
export interface Checkpoint extends LogSize {
  /** Key id of the signer. */
  readonly signer: string
  /** Run id: 32 hexadecimal digits. A run is the use of one private key by one open SDK. */
  readonly run: string
  /** Number of earlier checkpoints of the run. */
  readonly number: number
  /**
   * Size, root and time of the previous checkpoint. In the first checkpoint of a run, the size is 0, and the
   * time is the beginning of the run.
   */
  readonly from: LogSize & { readonly at: string }
  /**
   * Roots of the complete subtrees of the log at `from`, the largest first, 64 lower-case hexadecimal digits
   * each. The peaks and the leaves of the list result in `root`, and so prove that the log with this root
   * contains the listed messages. Signers with leases or witnesses include peaks, because a lease can state
   * the root, and witnesses can cosign it.
   */
  readonly peaks?: readonly string[] | undefined
  /** Time of the signature, by the signer's clock. */
  readonly at: string
  /** Previous run of the signer, with the size and root of its log. Undefined if no previous run is known. */
  readonly after?: (LogSize & { readonly run: string }) | undefined
  /** Messages since the previous checkpoint: those at the positions `from.size` to `size - 1` of the log. */
  readonly entries: readonly LogEntry[]
  /**
   * Positions of messages that the stream had not accepted, or not delivered, by `at`. They may be lost or
   * arrive later.
   */
  readonly pending: readonly Positions[]
  /**
   * Positions of messages that the stream has rejected. These messages are in `entries`, or were pending in
   * the previous checkpoint. Some may arrive nevertheless.
   */
  readonly refused: readonly Positions[]
  /** True if the checkpoint ends the run. */
  readonly isLast: boolean
}

/** Maximum number of messages in the list of one checkpoint (FORMAT.md, Limits). */
export const MAX_ENTRIES = 16_384
/** Number of bytes of each leaf hash in the list of a checkpoint without peaks. */
export const ENTRY_BYTES = 8

export interface WrittenList {
  /** First eight bytes of each leaf hash, or all 32 bytes in a checkpoint with peaks. */
  readonly ids: Uint8Array
  /** Number of bundles of each message. */
  readonly bundles: readonly number[]
}

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
