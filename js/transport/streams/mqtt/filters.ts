import type { IPublishPacket } from 'mqtt'
import { isSame } from '../../../foundation/base/bytes/same.js'

/**
 * Returns whether every topic that matches the narrow filter also matches the wide filter (MQTT 5, 4.7). A
 * topic is also a filter, which matches only itself.
 */
export function covers(wide: string, narrow: string): boolean {
  if (excludesBrokerTopic(wide, narrow)) return false
  const [wideLevels, levels] = [wide.split('/'), narrow.split('/')]
  for (const [at, level] of wideLevels.entries()) {
    if (level === '#') return true
    const other = levels[at]
    if (other === '#' || (level !== '+' && level !== other)) return false
  }
  return wideLevels.length === levels.length
}

function overlap(one: string, other: string): boolean {
  if (excludesBrokerTopic(one, other) || excludesBrokerTopic(other, one)) return false
  const [levels, others] = [one.split('/'), other.split('/')]
  for (let at = 0; at < Math.max(levels.length, others.length); at++) {
    const [a, b] = [levels[at], others[at]]
    if (a === '#' || b === '#') return true
    if (a === undefined || b === undefined || (a !== '+' && b !== '+' && a !== b)) return false
  }
  return true
}

/**
 * Returns whether `wide` begins with a wildcard and `narrow` with `$`: such a wildcard matches no such topic (MQTT 5,
 * 4.7.2).
 */
function excludesBrokerTopic(wide: string, narrow: string): boolean {
  return /^[+#]/.test(wide) && narrow.startsWith('$')
}

/** Returns the filters that no other filter covers. For a covered filter, a broker may send each message again. */
export function withoutCoveredFilters(filters: readonly string[]): string[] {
  const distinct = [...new Set(filters)]
  return distinct.filter((one) => !distinct.some((other) => other !== one && covers(other, one)))
}

/** Returns the filters that overlap with another filter in the array. */
export function overlapping(filters: readonly string[]): string[] {
  return filters.filter((one) => filters.some((other) => other !== one && overlap(one, other)))
}

const MAX_ORIGINALS = 256
/** Maximum size of all remembered messages in bytes. The newest message alone may be longer. */
const MAX_ORIGINAL_BYTES = 1024 * 1024
/** Number of bytes that {@link sampleOf} reads from a message. */
const SAMPLES = 16

interface Original {
  readonly payload: Uint8Array
  /** Identifiers of the subscriptions that have delivered the message; empty without identifiers. */
  readonly ids: readonly number[]
  readonly missing: number
}

/**
 * Detects copies of a message. If several filters of a subscriber match a message, the broker may send the
 * message once for each filter (MQTT 5, 3.3.4). All brokers do so with retained messages. Mosquitto does
 * so with every message.
 *
 * A packet with the same bytes and topic as an earlier one counts as a copy, until one packet for each
 * matching filter has arrived. Subscription identifiers make recognition exact. Without them, as in MQTT
 * 3.1.1, a message that was published twice may count as a copy. Nothing is lost then, because the same
 * bytes contain the same signed bundles.
 */
export class CopyDetector {
  readonly #filters: readonly string[]
  /** Messages with outstanding copies, the oldest first. */
  readonly #originals = new Map<string, Original>()
  #bytes = 0

  constructor(filters: readonly string[]) {
    this.#filters = overlapping(filters)
  }

  /** Returns whether the packet is a copy of a message that was received before. */
  isCopy({ topic, payload, properties }: IPublishPacket): boolean {
    const matching = this.#filters.filter((filter) => covers(filter, topic)).length
    if (matching < 2) return false
    const bytes = payload as Uint8Array
    const ids = [properties?.subscriptionIdentifier ?? []].flat()
    const key = `${topic}\0${bytes.length}\0${sampleOf(bytes)}`
    const original = this.#remove(key)
    const isCopy = original !== undefined && isSame(original.payload, bytes) && isNew(ids, original.ids)
    const before = isCopy ? original : { ids: [], missing: matching }
    const missing = before.missing - Math.max(ids.length, 1)
    if (missing > 0) this.#remember(key, { payload: bytes, ids: [...before.ids, ...ids], missing })
    return isCopy
  }

  #remove(key: string): Original | undefined {
    const original = this.#originals.get(key)
    this.#originals.delete(key)
    if (original) this.#bytes -= sizeOf(key, original)
    return original
  }

  #remember(key: string, original: Original): void {
    this.#originals.set(key, original)
    this.#bytes += sizeOf(key, original)
    for (const oldest of this.#originals.keys()) {
      if (oldest === key || (this.#originals.size <= MAX_ORIGINALS && this.#bytes <= MAX_ORIGINAL_BYTES))
        return
      this.#remove(oldest)
    }
  }
}

/** Returns the bytes of a message and its topic, which may be long too. */
function sizeOf(key: string, { payload }: Original): number {
  return key.length + payload.length
}

function isNew(ids: readonly number[], seen: readonly number[]): boolean {
  return !ids.some((id) => seen.includes(id))
}

/**
 * Returns a hash of bytes from the whole message. Messages differ in their signatures, which may be anywhere.
 */
function sampleOf(bytes: Uint8Array): number {
  let sample = 0
  for (let at = 0; at < SAMPLES; at++) {
    sample = (Math.imul(sample, 31) + (bytes[Math.floor((at * bytes.length) / SAMPLES)] ?? 0)) | 0
  }
  return sample
}
