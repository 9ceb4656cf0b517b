import { AlvariumError } from '../../../foundation/base/errors.js'
import { nanoseconds } from '../../../foundation/base/time/timestamp.js'
import { type Instant, nanosecondsAt, secondOf } from '../policy/instant.js'
import type { ReadValidity } from '../policy/policy-schema.js'

/** Maximum distance of a `Date` from 1970, in milliseconds (ECMA-262, 21.4.1.1). */
const MAX_DATE_MS = 8.64e15
const UNKNOWN_RECEIPT =
  'one whose time of receipt is unknown: give it as receivedAt (command: --received-at) if you know it'
/** Character to append to a time such as `2026-11-20T10:00:00`, to sort after all timestamps within that second. */
const AFTER_TIMESTAMPS = '~'
const Z = 0x5a
const COLON = 0x3a
/** Position in a timestamp of the colon before the seconds. Java omits the colon and the seconds if they are 0. */
const BEFORE_SECONDS = 16

/** Times at which a key may sign, by the validity of the key and of its signer, and their revocations. */
export class Times implements ReadValidity {
  readonly #subject: string
  readonly from: Instant | undefined
  readonly until: Instant | undefined
  readonly revoked: ReadValidity['revoked']
  readonly #acceptLateMs: number
  /**
   * Bounds as text: the key may sign at all timestamps between them, so these timestamps need not be parsed.
   */
  readonly #textAfterFrom: string
  readonly #textBeforeUntil: string

  constructor(subject: string, validities: readonly ReadValidity[], acceptLateMs: number) {
    this.#subject = subject
    const { from, until, revoked } = intersectionOf(validities)
    this.from = from
    this.until = until
    this.revoked = revoked
    this.#acceptLateMs = acceptLateMs
    this.#textAfterFrom = from ? surelyAfter(from) : ''
    // Subtract a second, because a leap second such as 10:00:60 sorts before 10:01:00, but is not earlier.
    this.#textBeforeUntil = until ? secondOf(until.ms - 1000) : AFTER_TIMESTAMPS
  }

  /** Latest time of receipt for a message that was signed in time, in milliseconds since 1970. */
  get lastReceipt(): number | undefined {
    // Use the end in milliseconds, which is rounded down: converting its nanoseconds could round up past the end.
    return this.until && this.until.ms + this.#acceptLateMs
  }

  /**
   * Asserts that a message was received before the revocation. The message's own timestamp does not count,
   * because a thief of the key can write any time.
   *
   * @throws AlvariumError `SIGNER_REVOKED`
   */
  assertNotRevoked(receivedAt: number | undefined): void {
    const revoked = this.revoked
    if (!revoked || (receivedAt !== undefined && receivedAt < revoked.since.ms)) return
    const why = revoked.why === undefined ? '' : ` (${revoked.why})`
    const expected = `a message received before ${revoked.since.text}, when ${this.#subject} was revoked${why}`
    const got = receivedAt === undefined ? UNKNOWN_RECEIPT : showTime(receivedAt)
    throw new AlvariumError('SIGNER_REVOKED', `signer: expected ${expected}, got ${got}`)
  }

  assertNotLate(receivedAt: number | undefined): void {
    const last = this.lastReceipt
    if (last === undefined || receivedAt === undefined || receivedAt <= last) return
    const until = (this.until as Instant).text
    const expected = `a message received by ${showTime(last)} (the time of ${this.#subject} ended at ${until})`
    throw expiredError(`signer: expected ${expected}, got ${showTime(receivedAt)}`)
  }

  include(timestamp: string): boolean {
    const isUtc =
      timestamp.charCodeAt(timestamp.length - 1) === Z && timestamp.charCodeAt(BEFORE_SECONDS) === COLON
    if (isUtc && timestamp > this.#textAfterFrom && timestamp < this.#textBeforeUntil) return true
    if (!this.from && !this.until) return true
    const ns = nanoseconds(timestamp)
    return ns !== undefined && this.#includes(ns)
  }

  /** Returns whether a message with these times of signing and receipt, in milliseconds since 1970, is in time. */
  allow(signedAt: number, receivedAt: number): boolean {
    const isRevoked = this.revoked !== undefined && receivedAt >= this.revoked.since.ms
    const isLate = this.lastReceipt !== undefined && receivedAt > this.lastReceipt
    return !isRevoked && !isLate && this.#includes(nanosecondsAt(signedAt))
  }

  /** Asserts that the key may sign at a time, in milliseconds since 1970. @throws AlvariumError `SIGNER_EXPIRED` */
  assertIncludes(ms: number, field: string): void {
    if (!this.#includes(nanosecondsAt(ms))) throw this.refusal(showTime(ms), field)
  }

  refusal(timestamp: string, field: string): AlvariumError {
    const ends = [this.from && `from ${this.from.text}`, this.until && `until ${this.until.text}`]
    const time = ends.filter(Boolean).join(' ')
    return expiredError(
      `${field}: expected a time ${time} (when ${this.#subject} may sign), got ${timestamp}`,
    )
  }

  #includes(ns: bigint): boolean {
    return !(this.from && ns < this.from.ns) && !(this.until && ns > this.until.ns)
  }
}

/**
 * Returns a text for comparison: every timestamp that sorts after the text is later than the moment. A year
 * of five digits begins with `+`, which sorts before all digits. No timestamp then sorts after the returned
 * text.
 */
function surelyAfter({ second }: Instant): string {
  return second.startsWith('+') ? AFTER_TIMESTAMPS : `${second}${AFTER_TIMESTAMPS}`
}

/** Returns the times that all validities allow, with the earliest revocation. */
export function intersectionOf(all: readonly ReadValidity[]): ReadValidity {
  return {
    from: mostBy(
      all.map(({ from }) => from),
      (a, b) => a.ns > b.ns,
    ),
    until: mostBy(
      all.map(({ until }) => until),
      (a, b) => a.ns < b.ns,
    ),
    revoked: mostBy(
      all.map(({ revoked }) => revoked),
      (a, b) => a.since.ns < b.since.ns,
    ),
  }
}

function mostBy<T>(all: readonly (T | undefined)[], isFurther: (a: T, b: T) => boolean): T | undefined {
  let found: T | undefined
  for (const one of all) if (one !== undefined && (found === undefined || isFurther(one, found))) found = one
  return found
}

/** Formats a time in RFC 3339, or in milliseconds since 1970 if it is beyond the range of `Date`. */
function showTime(ms: number): string {
  return Math.abs(ms) <= MAX_DATE_MS ? new Date(ms).toISOString() : `${ms} ms since 1970`
}

function expiredError(text: string): AlvariumError {
  return new AlvariumError('SIGNER_EXPIRED', text)
}
