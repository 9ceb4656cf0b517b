import type { VerifiedBundle } from '../../verifying/verify/options.js'
import { ById } from './by-id.js'
import type { Leaf } from './checkpoint/leaf.js'
import type { LogEntry } from './checkpoint/text.js'

type SeenBundle = Pick<VerifiedBundle, 'id' | 'timestamp'>

/** Received bundle of a message, if the message was received in parts. */
interface Part extends SeenBundle {
  readonly at: number
}

interface Seen {
  /** Bundle with the smallest id in the first `add` call for the message. */
  readonly first: SeenBundle
  readonly size: number
  /** Number of the first `add` call for the message. */
  readonly at: number
  /** Number of the `add` call that completed the message; 0 until then. */
  wholeAt: number
  /** Received bundles by id, if the message was received in parts. */
  readonly parts: Map<string, Part> | undefined
}

/** Received messages of a key, by the prefix of their leaf hashes. */
export class SeenMessages {
  readonly #seen = new ById<Seen>()
  readonly #settled = new ById<number>()
  #added = 0

  add({ key, size }: Leaf, bundles: readonly SeenBundle[]): void {
    const at = ++this.#added
    const known = this.#seen.get(key)
    if (known) addParts(known, bundles, at)
    else this.#seen.set(key, newlySeen(size, bundles, at))
  }

  /**
   * Stops counting an absent message as missing, because it was received and then pruned, or may have been.
   */
  settle(id: string): void {
    const at = ++this.#added
    if (!this.#settled.has(id)) this.#settled.set(id, at)
  }

  get size(): number {
    return this.#seen.size
  }

  get snapshot(): SeenSnapshot {
    return new SeenSnapshot(this.#seen, this.#settled, this.#added)
  }
}

export class SeenSnapshot {
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

  missingOf({ id, bundles }: LogEntry): number {
    if ((this.#settled.get(id) ?? NEVER) <= this.#until) return 0
    const seen = this.#get(id)
    if (!seen) return bundles
    const isWhole = seen.wholeAt > 0 && seen.wholeAt <= this.#until
    return isWhole ? 0 : bundles - this.#partsOf(seen).length
  }

  /** Returns the time of a received message, which is the time of its bundle with the smallest id. */
  timeOf(id: string): string | undefined {
    const seen = this.#get(id)
    return seen && this.#firstOf(seen).timestamp
  }

  /**
   * Yields, for each message, its id as checkpoints list it, and its bundle with the smallest id. Yields undefined
   * for messages that were added after the snapshot, so that callers can yield to the event loop.
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

/** Creates the entry of a message. Omits `parts` if the whole message was received, because most messages are whole. */
function newlySeen(size: number, bundles: readonly SeenBundle[], at: number): Seen {
  const { id, timestamp } = firstOf(bundles)
  const parts = size > 1 ? new Map(bundles.map((one) => [one.id, partOf(one, at)])) : undefined
  const isWhole = !parts || parts.size >= size
  const whole = { wholeAt: isWhole ? at : 0, parts: isWhole ? undefined : parts }
  return { first: { id, timestamp }, size, at, ...whole }
}

/** Adds parts to a message. After the last part, keeps the parts, because earlier snapshots need them. */
function addParts(seen: Seen, bundles: readonly SeenBundle[], at: number): void {
  const { parts } = seen
  if (!parts || seen.wholeAt > 0) return
  for (const one of bundles) if (!parts.has(one.id)) parts.set(one.id, partOf(one, at))
  if (parts.size >= seen.size) seen.wholeAt = at
}

function partOf({ id, timestamp }: SeenBundle, at: number): Part {
  return { id, timestamp, at }
}

/** Returns the bundle with the smallest id. @param bundles - at least one, in any order */
export function firstOf<Bundle extends SeenBundle>(bundles: readonly Bundle[]): Bundle {
  return bundles.reduce((first, one) => (one.id < first.id ? one : first))
}
