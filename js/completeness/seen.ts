import { toHex } from '../base/bytes/hex.js'
import type { VerifiedBundle } from '../verify/options.js'
import { sha256 } from './hash.js'
import { ENTRY_BYTES, type LogEntry } from './text.js'

/** A message that is there, whole or in parts. */
interface Seen {
  readonly id: string
  readonly timestamp: string
  /** How many bundles it was signed with. */
  readonly size: number
  /** Those that were taken out of it, as long as they are not all. */
  parts: Set<string> | undefined
}

const BATCH = 'alvarium.AnnotationBatch/1\n'
/** FORMAT.md, batch/1: the line, and the signer behind its length. */
const COUNT_AT = BATCH.length + 4 + 32

/** The messages of a signer that are there, by what lists have of their leaf hashes. */
export class SeenMessages {
  readonly #seen = new Map<string, Seen>()

  /**
   * @param identity - what is signed of the message
   * @param bundles - those of it that are there, at least one
   */
  add(identity: Uint8Array, bundles: readonly VerifiedBundle[]): void {
    const key = toHex(leafOf(identity).subarray(0, ENTRY_BYTES))
    const { id, timestamp } = bundles[0] as VerifiedBundle
    const size = sizeOf(identity)
    const seen = this.#seen.get(key) ?? { id, timestamp, size, parts: new Set() }
    this.#seen.set(key, seen)
    if (!seen.parts) return
    for (const bundle of bundles) seen.parts.add(bundle.id)
    if (seen.parts.size >= size) seen.parts = undefined
  }

  /** How many bundles of a message are not there. */
  missingOf({ id, bundles }: LogEntry): number {
    const seen = this.#seen.get(id)
    return seen ? (seen.parts ? bundles - seen.parts.size : 0) : bundles
  }

  /** The time of a message that is there. */
  timeOf(id: string): string | undefined {
    return this.#seen.get(id)?.timestamp
  }

  get size(): number {
    return this.#seen.size
  }

  /** Those that are in none of these lists. */
  *unlisted(listed: ReadonlySet<string>): Generator<Seen, void> {
    for (const [key, seen] of this.#seen) if (!listed.has(key)) yield seen
  }
}

/** RFC 9162 §2.1.1. */
function leafOf(identity: Uint8Array): Uint8Array {
  const leaf = new Uint8Array(1 + identity.length)
  leaf.set(identity, 1)
  return sha256(leaf)
}

function sizeOf(identity: Uint8Array): number {
  const isBatch = new TextDecoder().decode(identity.subarray(0, BATCH.length)) === BATCH
  return isBatch ? new DataView(identity.buffer, identity.byteOffset).getUint32(COUNT_AT) : 1
}
