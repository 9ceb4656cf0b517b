import { MaxCount } from '../../../foundation/core/core.js'
import type { VerifiedBundle } from '../../../verifying/verify/options.js'
import type { Leaf } from '../checkpoint/leaf.js'
import { CLOCK_MS } from '../gap-filling.js'
import { firstOf } from '../seen.js'
import { msOf } from '../times.js'

/** Received message, whole or in parts, that no checkpoint lists yet. */
export interface UnlistedMessage {
  readonly key: string
  readonly keyId: string
  /** Smallest id of the message's bundles; of its first received part if the message arrives in parts. */
  readonly id: string
  readonly timestamp: string
  readonly ms: number
  readonly receivedAt: number
  /** Ids of the received bundles, if other bundles of the same batch are absent. */
  parts: Set<string> | undefined
  isReported: boolean
}

/** Message that a checkpoint lists and that did not arrive. */
export interface AbsentMessage {
  readonly position: number
  bundles: number
  readonly parts: Set<string>
  readonly size: number
  readonly since: string
  until: string
  state: 'pending' | 'missing' | 'refused' | 'unknown' | 'arrived'
}

interface SignedList {
  readonly keys: readonly string[]
  readonly at: string
}

/**
 * Maximum number of remembered messages of a signer before its first checkpoint arrives. That checkpoint
 * lists only recent messages, so older ones are not needed. The limit saves memory, because many signers
 * never sign a checkpoint.
 */
const MAX_BEFORE_CHECKPOINT = 1024

export class MessageMemory {
  readonly #maxMessages: number
  readonly #toleranceMs: number
  readonly #unlisted = new Map<string, UnlistedMessage>()
  /** Listed messages by name. The value is undefined if the message was received. */
  readonly #listed = new Map<string, AbsentMessage | undefined>()
  #parts = 0
  readonly #lists: SignedList[] = []
  /** Latest time of a forgotten list, run or signer, as a timestamp; empty if none was forgotten. */
  forgottenUntil = ''
  droppedCount = 0
  /**
   * Time in milliseconds since 1970 up to which received messages may have been forgotten. If a checkpoint's
   * list begins earlier, nobody knows whether its absent messages are missing.
   */
  lostUntil = Number.NEGATIVE_INFINITY
  hasCheckpoint = false

  constructor(maxMessages: number, toleranceMs = 0) {
    this.#maxMessages = maxMessages
    this.#toleranceMs = toleranceMs
  }

  get unlisted(): ReadonlyMap<string, UnlistedMessage> {
    return this.#unlisted
  }

  get size(): number {
    return this.#unlisted.size + this.#listed.size + this.#parts
  }

  /**
   * Raises `lostUntil` to `ms`, but at most to now plus the tolerance, because a stolen key can sign any
   * future time.
   */
  markLostUntil(ms: number): void {
    this.lostUntil = Math.max(this.lostUntil, Math.min(ms, Date.now() + this.#toleranceMs))
  }

  unlistedOf(keyId: string): UnlistedMessage[] {
    const messages = [...this.#unlisted.values()].filter((one) => one.keyId === keyId)
    return messages.sort((one, other) => one.ms - other.ms)
  }

  /** Adds a received message. If the message was listed as absent and is complete now, returns its entry. */
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
    const maxUnlisted = this.hasCheckpoint
      ? this.#maxMessages
      : Math.min(this.#maxMessages, MAX_BEFORE_CHECKPOINT)
    if (this.#unlisted.size > maxUnlisted) this.#drop()
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

  /** Drops messages, then lists, until the received bundles of incomplete batches are few enough. */
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
    this.markLostUntil(ms + CLOCK_MS)
    this.droppedCount++
  }

  take(key: string): UnlistedMessage | undefined {
    const unlisted = this.#unlisted.get(key)
    this.#unlisted.delete(key)
    this.#parts -= unlisted?.parts?.size ?? 0
    return unlisted
  }

  isListed(key: string): boolean {
    return this.#listed.has(key)
  }

  /** Adds a checkpoint's list. @param absent - absent messages of the list; all its other messages were received */
  list(names: readonly string[], at: string, absent: ReadonlyMap<string, AbsentMessage>): void {
    for (const name of names) {
      if (this.#listed.has(name)) continue
      const one = absent.get(name)
      this.#listed.set(name, one)
      this.#parts += one?.parts.size ?? 0
    }
    // Skip empty lists, because a signer that restarts often signs many checkpoints without messages.
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
