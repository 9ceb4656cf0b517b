import type { VerifiedBundle } from '../verify/options.js'
import { ById } from './by-id.js'
import type { Leaf } from './leaf.js'
import type { LogEntry } from './text.js'

/** A bundle that was verified. */
type SeenBundle = Pick<VerifiedBundle, 'id' | 'timestamp'>

/** A message that is there, whole or in parts. */
interface Seen {
  /** Of its bundles that are there, the one with the smallest id. */
  id: string
  timestamp: string
  /** How many bundles it was signed with. */
  readonly size: number
  /** Which addition has brought it. */
  readonly at: number
  /** Which one has brought the last of its bundles: 0 until then. */
  wholeAt: number
  /** The bundles of one that came in parts, each by its addition. */
  parts: Map<string, number> | undefined
}

/** The messages of a signer that are there, by what lists have of their leaf hashes. */
export class SeenMessages {
  readonly #seen = new ById<Seen>()
  readonly #settled = new ById<number>()
  #added = 0

  /** @param bundles - those of it that are there, at least one */
  add({ key, size }: Leaf, bundles: readonly SeenBundle[]): void {
    const at = ++this.#added
    const known = this.#seen.get(key)
    if (known) addParts(known, bundles, at)
    else this.#seen.set(key, newlySeen(size, bundles, at))
  }

  /** A message that is absent and not missing: it was here once, or nobody can know. */
  settle(id: string): void {
    const at = ++this.#added
    if (!this.#settled.has(id)) this.#settled.set(id, at)
  }

  get size(): number {
    return this.#seen.size
  }

  /** Those that are there now, whatever is added later. */
  get now(): SeenUntil {
    return new SeenUntil(this.#seen, this.#settled, this.#added)
  }
}

/** The messages that were there after so many additions. */
export class SeenUntil {
  readonly size: number
  readonly #seen: ById<Seen>
  readonly #settled: ById<number>
  readonly #until: number

  constructor(seen: ById<Seen>, settled: ById<number>, until: number) {
    this.size = seen.size
    this.#seen = seen
    this.#settled = settled
    this.#until = until
  }

  /** How many bundles of a message are not there. */
  missingOf({ id, bundles }: LogEntry): number {
    if ((this.#settled.get(id) ?? NEVER) <= this.#until) return 0
    const seen = this.#get(id)
    if (!seen) return bundles
    const isWhole = seen.wholeAt > 0 && seen.wholeAt <= this.#until
    return isWhole ? 0 : bundles - this.#countOf(seen)
  }

  /** The time of a message that is there. */
  timeOf(id: string): string | undefined {
    return this.#get(id)?.timestamp
  }

  /** Each, by what lists have of it; and nothing where one came later, so that whoever looks at them can let others have their turn. */
  *[Symbol.iterator](): Generator<readonly [key: string, seen: Seen] | undefined, void> {
    for (const one of this.#seen) yield one[1].at <= this.#until ? one : undefined
  }

  #get(id: string): Seen | undefined {
    const seen = this.#seen.get(id)
    return seen && seen.at <= this.#until ? seen : undefined
  }

  #countOf({ parts }: Seen): number {
    let count = 0
    for (const at of parts?.values() ?? []) if (at <= this.#until) count++
    return count
  }
}

const NEVER = Number.POSITIVE_INFINITY

/** Most come whole: of those, no part is kept. */
function newlySeen(size: number, bundles: readonly SeenBundle[], at: number): Seen {
  const { id, timestamp } = firstOf(bundles)
  const parts = size > 1 ? new Map(bundles.map((one) => [one.id, at])) : undefined
  if (!parts || parts.size >= size) return { id, timestamp, size, at, wholeAt: at, parts: undefined }
  return { id, timestamp, size, at, wholeAt: 0, parts }
}

/** Parts stay when it is whole: a report may be of a moment at which it was not. */
function addParts(seen: Seen, bundles: readonly SeenBundle[], at: number): void {
  const { parts } = seen
  if (!parts || seen.wholeAt > 0) return
  const { id, timestamp } = firstOf([seen, ...bundles])
  Object.assign(seen, { id, timestamp })
  for (const { id } of bundles) if (!parts.has(id)) parts.set(id, at)
  if (parts.size >= seen.size) seen.wholeAt = at
}

/** The one with the smallest id, which is the same in whatever order they came. */
function firstOf(bundles: readonly SeenBundle[]): SeenBundle {
  return bundles.reduce((first, one) => (one.id < first.id ? one : first))
}
