import type { VerifiedBundle } from '../verify/options.js'
import { ById } from './by-id.js'
import type { Leaf } from './leaf.js'
import type { LogEntry } from './text.js'

/** A bundle that was verified. */
type SeenBundle = Pick<VerifiedBundle, 'id' | 'timestamp'>

/** A message that is there, whole or in parts. */
interface Seen {
  readonly id: string
  readonly timestamp: string
  /** How many bundles it was signed with. */
  readonly size: number
  /** Those that were taken out of it, as long as they are not all. */
  parts: Set<string> | undefined
}

/** The messages of a signer that are there, by what lists have of their leaf hashes. */
export class SeenMessages {
  readonly #seen = new ById<Seen>()
  readonly #settled = new ById<true>()

  /** @param bundles - those of it that are there, at least one */
  add({ key, size }: Leaf, bundles: readonly SeenBundle[]): void {
    const { id, timestamp } = bundles[0] as SeenBundle
    const seen = this.#seen.get(key) ?? { id, timestamp, size, parts: new Set() }
    this.#seen.set(key, seen)
    if (!seen.parts) return
    for (const bundle of bundles) seen.parts.add(bundle.id)
    if (seen.parts.size >= size) seen.parts = undefined
  }

  /** A message that is absent and not missing: it was here once, or nobody can know. */
  settle(id: string): void {
    this.#settled.set(id, true)
  }

  /** How many bundles of a message are not there. */
  missingOf({ id, bundles }: LogEntry): number {
    if (this.#settled.has(id)) return 0
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

  /** Each, by what lists have of it. */
  [Symbol.iterator](): Iterator<readonly [key: string, seen: Seen]> {
    return this.#seen[Symbol.iterator]()
  }
}
