import { Most } from '../../core/core.js'
import type { VerifiedBundle } from '../../verify/options.js'
import { CLOCK_MS } from '../gap-filling.js'
import type { Leaf } from '../leaf.js'
import { firstOf } from '../seen.js'
import { msOf } from '../times.js'

/** A message that came, whole or in parts, and is in no list yet. */
export interface UnlistedMessage {
  /** Name by which a list of its key would have it. */
  readonly key: string
  /** Key id of the key that signed it. */
  readonly keyId: string
  /** Of its first bundle. */
  readonly id: string
  readonly timestamp: string
  /** The same in milliseconds since 1970. */
  readonly ms: number
  readonly receivedAt: number
  /** The bundles of a batch that were taken out of it, as long as they are not all. */
  parts: Set<string> | undefined
  /** Whether it was told of as backdated. */
  isTold: boolean
}

/** A message of a list that did not come. */
export interface Absent {
  readonly position: number
  /** How many bundles of it are not there. */
  bundles: number
  readonly parts: Set<string>
  readonly size: number
  readonly since: string
  until: string
  /** What it counts as. */
  is: 'pending' | 'missing' | 'refused' | 'unknown' | 'there'
}

/** The keys of a list, and when it was signed. */
interface SignedKeys {
  readonly keys: readonly string[]
  readonly at: string
}

/** What is remembered of a signer before any of its checkpoints comes: many may sign none, and the first list begins not long ago. */
const MOST_BEFORE = 1024

/** What is remembered of the messages of a signer: those that came, and those that lists have. */
export class Remembered {
  readonly #most: number
  readonly #toleranceMs: number
  readonly #unlisted = new Map<string, UnlistedMessage>()
  /** By key: nothing of those that are there. */
  readonly #listed = new Map<string, Absent | undefined>()
  /** Bundles that were taken out of batches that are not there as a whole. */
  #parts = 0
  /** The lists, from the oldest. */
  readonly #lists: SignedKeys[] = []
  /** Up to when lists have been forgotten. */
  forgotten = ''
  /** Messages that were forgotten, and were in no list. */
  dropped = 0
  /**
   * What was signed up to then may have come and been forgotten, in milliseconds. Of a list that begins before, nobody knows whether what
   * is not there is missing.
   */
  lostUntil = Number.NEGATIVE_INFINITY
  /** Whether a checkpoint has come. */
  hasCheckpoint = false

  /** @param toleranceMs - how far the clock of a signer may be ahead */
  constructor(most: number, toleranceMs = 0) {
    this.#most = most
    this.#toleranceMs = toleranceMs
  }

  /** How many messages are remembered; of those that are there in parts, each part counts too. */
  get size(): number {
    return this.#unlisted.size + this.#listed.size + this.#parts
  }

  /** What was signed until then may be forgotten. Whoever has stolen a key writes any time into what it signs. */
  lose(ms: number): void {
    this.lostUntil = Math.max(this.lostUntil, Math.min(ms, Date.now() + this.#toleranceMs))
  }

  get unlisted(): ReadonlyMap<string, UnlistedMessage> {
    return this.#unlisted
  }

  /** Returns the unlisted messages of a key, in the order of their times. */
  unlistedOf(keyId: string): UnlistedMessage[] {
    const own = [...this.#unlisted.values()].filter((one) => one.keyId === keyId)
    return own.sort((one, other) => one.ms - other.ms)
  }

  /** A message came. Returns what it was absent as, if it had been, and is there now. */
  add({ key, size }: Leaf, bundles: readonly VerifiedBundle[], receivedAt: number): Absent | undefined {
    if (this.#listed.has(key)) return this.#late(key, bundles)
    const one = this.#unlisted.get(key) ?? newlyUnlisted(key, bundles, receivedAt)
    this.#unlisted.set(key, one)
    if (!one.parts) return undefined
    this.#add(one.parts, bundles)
    if (one.parts.size >= size) {
      this.#parts -= one.parts.size
      one.parts = undefined
    }
    const most = this.hasCheckpoint ? this.#most : Math.min(this.#most, MOST_BEFORE)
    if (this.#unlisted.size > most) this.#drop()
    this.#makeRoom()
    return undefined
  }

  #add(parts: Set<string>, bundles: readonly VerifiedBundle[]): void {
    const before = parts.size
    for (const { id } of bundles) parts.add(id)
    this.#parts += parts.size - before
  }

  #late(key: string, bundles: readonly VerifiedBundle[]): Absent | undefined {
    const absent = this.#listed.get(key)
    if (!absent) return undefined
    this.#add(absent.parts, bundles)
    absent.bundles = absent.size - absent.parts.size
    if (absent.bundles > 0) {
      this.#makeRoom()
      return undefined
    }
    this.#parts -= absent.parts.size
    this.#listed.set(key, undefined)
    return absent
  }

  /** A batch that is there in parts has as many of them as it has bundles. */
  #makeRoom(): void {
    while (this.#parts > Math.max(this.#most, Most.Bundles)) {
      if (this.#unlisted.size > 0) this.#drop()
      else if (this.#lists.length > 0) this.#forget()
      else return
    }
  }

  #drop(): void {
    const [{ key, ms }] = this.#unlisted.values() as unknown as [UnlistedMessage]
    this.take(key)
    this.lose(ms + CLOCK_MS)
    this.dropped++
  }

  /** What there is of a message in no list, which is in one now. */
  take(key: string): UnlistedMessage | undefined {
    const unlisted = this.#unlisted.get(key)
    this.#unlisted.delete(key)
    this.#parts -= unlisted?.parts?.size ?? 0
    return unlisted
  }

  /** Whether a list has it already. */
  isListed(key: string): boolean {
    return this.#listed.has(key)
  }

  /** What of a list is absent; all else is there. */
  list(names: readonly string[], at: string, absent: ReadonlyMap<string, Absent>): void {
    for (const name of names) {
      if (this.#listed.has(name)) continue
      const one = absent.get(name)
      this.#listed.set(name, one)
      this.#parts += one?.parts.size ?? 0
    }
    // A signer that is restarted again and again says many times that it has signed nothing.
    if (names.length > 0) this.#lists.push({ keys: names, at })
    while (this.#listed.size > this.#most && this.#lists.length > 1) this.#forget()
  }

  #forget(): void {
    const { keys, at } = this.#lists.shift() as SignedKeys
    for (const key of keys) {
      this.#parts -= this.#listed.get(key)?.parts.size ?? 0
      this.#listed.delete(key)
    }
    if (at > this.forgotten) this.forgotten = at
  }
}

function newlyUnlisted(key: string, bundles: readonly VerifiedBundle[], receivedAt: number): UnlistedMessage {
  const { id, signer: keyId, timestamp } = firstOf(bundles)
  return { key, keyId, id, timestamp, ms: msOf(timestamp), receivedAt, parts: new Set(), isTold: false }
}
