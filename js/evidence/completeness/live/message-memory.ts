import { MaxCount } from '../../../foundation/core/core.js'
import type { VerifiedBundle } from '../../../verifying/verify/options.js'
import type { Leaf } from '../checkpoint/leaf.js'
import { CLOCK_MS } from '../gap-filling.js'
import { firstOf } from '../seen.js'
import { msOf } from '../times.js'

/** A received message, whole or in parts, that is in no list yet. */
export interface UnlistedMessage {
  /** Name of the message in lists of its key. */
  readonly key: string
  /** Key id of the key that signed it. */
  readonly keyId: string
  /** Id of its first bundle. */
  readonly id: string
  readonly timestamp: string
  /** Timestamp in milliseconds since 1970. */
  readonly ms: number
  readonly receivedAt: number
  /** Ids of the received bundles, if they were extracted from a batch and some are absent. */
  parts: Set<string> | undefined
  /** True once it was reported as backdated. */
  isReported: boolean
}

/** A listed message that did not arrive. */
export interface AbsentMessage {
  readonly position: number
  /** Number of this message's bundles that have not arrived. */
  bundles: number
  readonly parts: Set<string>
  readonly size: number
  readonly since: string
  until: string
  /** State in which the message is counted. */
  state: 'pending' | 'missing' | 'refused' | 'unknown' | 'arrived'
}

/** Names of the messages of a list, and the time at which it was signed. */
interface SignedList {
  readonly keys: readonly string[]
  readonly at: string
}

/**
 * Number of remembered messages of a signer before its first checkpoint arrives: many signers sign none, and the first
 * list begins shortly before.
 */
const MAX_BEFORE_CHECKPOINT = 1024

/** Remembered messages of a signer: the received ones, and the listed ones. */
export class MessageMemory {
  readonly #maxMessages: number
  readonly #toleranceMs: number
  readonly #unlisted = new Map<string, UnlistedMessage>()
  /** Listed messages by key; undefined if the message was received. */
  readonly #listed = new Map<string, AbsentMessage | undefined>()
  /** Number of received bundles that belong to incomplete batches. */
  #parts = 0
  /** Lists, the oldest first. */
  readonly #lists: SignedList[] = []
  /** Time of the newest forgotten list. */
  forgottenUntil = ''
  /** Number of forgotten messages that were in no list. */
  droppedCount = 0
  /**
   * Time in milliseconds up to which received messages may have been forgotten. Absent messages of a list that begins
   * before are not known to be missing.
   */
  lostUntil = Number.NEGATIVE_INFINITY
  /** True once a checkpoint has arrived. */
  hasCheckpoint = false

  /** @param toleranceMs - milliseconds by which the clock of a signer may be ahead */
  constructor(maxMessages: number, toleranceMs = 0) {
    this.#maxMessages = maxMessages
    this.#toleranceMs = toleranceMs
  }

  /** Number of remembered messages; each received part of an incomplete batch counts too. */
  get size(): number {
    return this.#unlisted.size + this.#listed.size + this.#parts
  }

  /** Raises `lostUntil`, at most to the present time plus the tolerance: the holder of a stolen key signs any time. */
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

  /** Adds a received message. Returns its absence if it was listed and is complete now. */
  add(
    { key, size }: Leaf,
    bundles: readonly VerifiedBundle[],
    receivedAt: number,
  ): AbsentMessage | undefined {
    if (this.#listed.has(key)) return this.#completeAbsent(key, bundles)
    const one = this.#unlisted.get(key) ?? newlyUnlisted(key, bundles, receivedAt)
    this.#unlisted.set(key, one)
    if (!one.parts) return undefined
    this.#addParts(one.parts, bundles)
    if (one.parts.size >= size) {
      this.#parts -= one.parts.size
      one.parts = undefined
    }
    const most = this.hasCheckpoint ? this.#maxMessages : Math.min(this.#maxMessages, MAX_BEFORE_CHECKPOINT)
    if (this.#unlisted.size > most) this.#drop()
    this.#makeRoom()
    return undefined
  }

  #addParts(parts: Set<string>, bundles: readonly VerifiedBundle[]): void {
    const before = parts.size
    for (const { id } of bundles) parts.add(id)
    this.#parts += parts.size - before
  }

  #completeAbsent(key: string, bundles: readonly VerifiedBundle[]): AbsentMessage | undefined {
    const absent = this.#listed.get(key)
    if (!absent) return undefined
    this.#addParts(absent.parts, bundles)
    absent.bundles = absent.size - absent.parts.size
    if (absent.bundles > 0) {
      this.#makeRoom()
      return undefined
    }
    this.#parts -= absent.parts.size
    this.#listed.set(key, undefined)
    return absent
  }

  /** Drops messages and lists until the parts fit: an incomplete batch has up to as many parts as bundles. */
  #makeRoom(): void {
    while (this.#parts > Math.max(this.#maxMessages, MaxCount.Bundles)) {
      if (this.#unlisted.size > 0) this.#drop()
      else if (this.#lists.length > 0) this.#forget()
      else return
    }
  }

  #drop(): void {
    const [{ key, ms }] = this.#unlisted.values() as unknown as [UnlistedMessage]
    this.take(key)
    this.lose(ms + CLOCK_MS)
    this.droppedCount++
  }

  /** Removes a message that is in a list now, and returns it. */
  take(key: string): UnlistedMessage | undefined {
    const unlisted = this.#unlisted.get(key)
    this.#unlisted.delete(key)
    this.#parts -= unlisted?.parts?.size ?? 0
    return unlisted
  }

  /** Returns whether a list has the message already. */
  isListed(key: string): boolean {
    return this.#listed.has(key)
  }

  /** Adds a list. @param absent - its absent messages; all others were received */
  list(names: readonly string[], at: string, absent: ReadonlyMap<string, AbsentMessage>): void {
    for (const name of names) {
      if (this.#listed.has(name)) continue
      const one = absent.get(name)
      this.#listed.set(name, one)
      this.#parts += one?.parts.size ?? 0
    }
    // Empty lists are skipped: a signer that restarts often signs many of them.
    if (names.length > 0) this.#lists.push({ keys: names, at })
    while (this.#listed.size > this.#maxMessages && this.#lists.length > 1) this.#forget()
  }

  #forget(): void {
    const { keys, at } = this.#lists.shift() as SignedList
    for (const key of keys) {
      this.#parts -= this.#listed.get(key)?.parts.size ?? 0
      this.#listed.delete(key)
    }
    if (at > this.forgottenUntil) this.forgottenUntil = at
  }
}

function newlyUnlisted(key: string, bundles: readonly VerifiedBundle[], receivedAt: number): UnlistedMessage {
  const { id, signer: keyId, timestamp } = firstOf(bundles)
  return { key, keyId, id, timestamp, ms: msOf(timestamp), receivedAt, parts: new Set(), isReported: false }
}
