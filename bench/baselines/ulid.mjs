// Generators of ULIDs (https://github.com/ulid/spec): 10 characters of time and 16 of randomness.

import { randomBytes, randomFillSync } from 'node:crypto'

const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
/** All pairs of base-32 digits. One look-up encodes ten bits. */
const PAIRS = Array.from({ length: 1024 }, (_, bits) => DIGITS.charAt(bits >> 5) + DIGITS.charAt(bits & 31))

/** @param {number} millis */
function timeText(millis) {
  const high = Math.floor(millis / 2 ** 30)
  return pair(high, 10) + pair(high, 0) + pair(millis, 20) + pair(millis, 10) + pair(millis, 0)
}

/**
 * Returns ten bits, starting at bit `shift`, as two digits.
 *
 * @param {number} bits
 * @param {number} shift
 */
function pair(bits, shift) {
  return /** @type {string} */ (PAIRS[(bits >>> shift) & 1023])
}

/** Returns a ULID from fresh random bytes, as the Java, Go, Rust and Python SDKs do. */
export function freshUlid() {
  let text = timeText(Date.now())
  for (const byte of randomBytes(16)) text += DIGITS.charAt(byte & 31)
  return text
}

/** Generator of ULIDs that count up within a millisecond. Fetches 4,096 random words at a time. */
export class MonotonicUlids {
  #pool = new Uint32Array(4096)
  #next = this.#pool.length
  #millis = -1
  /** Every digit of the current ULID except the last four. */
  #head = ''
  /** Last four digits of the current ULID, as 20 bits. */
  #tail = 0

  /** @param {number} millis */
  next(millis) {
    if (millis > this.#millis || this.#tail === 0xfffff) this.#start(Math.max(millis, this.#millis + 1))
    else this.#tail++
    return this.#head + pair(this.#tail, 10) + pair(this.#tail, 0)
  }

  /** @param {number} millis */
  #start(millis) {
    this.#millis = millis
    this.#head = timeText(millis)
    for (let digits = 0; digits < 12; digits += 4) this.#head += pairs(this.#word())
    this.#tail = this.#word() & 0xfffff
  }

  #word() {
    if (this.#next === this.#pool.length) {
      randomFillSync(this.#pool)
      this.#next = 0
    }
    return /** @type {number} */ (this.#pool[this.#next++])
  }
}

/** @param {number} word its lower 20 bits are encoded as four digits */
function pairs(word) {
  return pair(word, 10) + pair(word, 0)
}
