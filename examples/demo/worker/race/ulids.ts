/** Generator of ULIDs (https://github.com/ulid/spec): 10 characters of time, 16 of randomness. */

const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** Pool of random bytes. One request per ULID would take longer than the rest of the call. */
const pool = new Uint8Array(16 * 1024)
let next = pool.length

export function freshUlid(millis: number): string {
  let text = timeText(millis)
  if (next === pool.length) {
    crypto.getRandomValues(pool)
    next = 0
  }
  for (const end = next + 16; next < end; next++) text += DIGITS.charAt((pool[next] ?? 0) & 31)
  return text
}

let lastMillis = -1
let lastText = ''

/** Returns the time part of a ULID. Caches it for all ULIDs of the same millisecond. */
function timeText(millis: number): string {
  if (millis === lastMillis) return lastText
  let text = ''
  for (let rest = millis, n = 0; n < 10; n++, rest = Math.floor(rest / 32))
    text = DIGITS.charAt(rest % 32) + text
  lastMillis = millis
  lastText = text
  return text
}
