import type { VerifiedBundle } from '../verify/options.js'
import { ById } from './by-id.js'
import type { Leaf } from './leaf.js'
import type { LogEntry } from './text.js'

/** A bundle that was verified. */
type SeenBundle = Pick<VerifiedBundle, 'id' | 'timestamp'>

/** A bundle of a message that came in parts. */
interface Part extends SeenBundle {
  /** Number of the addition that brought it. */
  readonly at: number
}

/** A message that is there, whole or in parts. */
interface Seen {
  /** The one with the smallest id of the bundles that came first. */
  readonly first: SeenBundle
  /** How many bundles it was signed with. */
  readonly size: number
  /** Number of the addition that brought it. */
  readonly at: number
  /** Which one has brought the last of its bundles: 0 until then. */
  wholeAt: number
  /** The bundles of one that came in parts, by their ids. */
  readonly parts: Map<string, Part> | undefined
}

/** The messages of a key that are there, by what lists have of their leaf hashes. */
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
    return isWhole ? 0 : bundles - this.#partsOf(seen).length
  }

  /** Returns the time of a message that is there: of its bundle with the smallest id. */
  timeOf(id: string): string | undefined {
    const seen = this.#get(id)
    return seen && this.#firstOf(seen).timestamp
  }

  /**
   * Yields each message by its id in lists, with its bundle with the smallest id; undefined for one that came later, so that callers can
   * yield to others.
   */
  *[Symbol.iterator](): Generator<readonly [key: string, first: SeenBundle] | undefined, void> {
    for (const [key, seen] of this.#seen)
      yield seen.at <= this.#until ? [key, this.#firstOf(seen)] : undefined
  }

  #get(id: string): Seen | undefined {
    const seen = this.#seen.get(id)
    return seen && seen.at <= this.#until ? seen : undefined
  }

  #firstOf(seen: Seen): SeenBundle {
    return seen.parts ? firstOf(this.#partsOf(seen)) : seen.first
  }

  #partsOf({ parts }: Seen): Part[] {
    return [...(parts?.values() ?? [])].filter(({ at }) => at <= this.#until)
  }
}

const NEVER = Number.POSITIVE_INFINITY

/** Most come whole: of those, no part is kept. */
function newlySeen(size: number, bundles: readonly SeenBundle[], at: number): Seen {
  const { id, timestamp } = firstOf(bundles)
  const parts = size > 1 ? new Map(bundles.map((one) => [one.id, partOf(one, at)])) : undefined
  const isWhole = !parts || parts.size >= size
  const whole = { wholeAt: isWhole ? at : 0, parts: isWhole ? undefined : parts }
  return { first: { id, timestamp }, size, at, ...whole }
}

/** Parts stay when it is whole: a report may be of a moment at which it was not. */
function addParts(seen: Seen, bundles: readonly SeenBundle[], at: number): void {
  const { parts } = seen
  if (!parts || seen.wholeAt > 0) return
  for (const one of bundles) if (!parts.has(one.id)) parts.set(one.id, partOf(one, at))
  if (parts.size >= seen.size) seen.wholeAt = at
}

function partOf({ id, timestamp }: SeenBundle, at: number): Part {
  return { id, timestamp, at }
}

/** Returns the bundle with the smallest id, the same in whatever order they came. @param bundles - at least one */
export function firstOf<Bundle extends SeenBundle>(bundles: readonly Bundle[]): Bundle {
  return bundles.reduce((first, one) => (one.id < first.id ? one : first))
}
