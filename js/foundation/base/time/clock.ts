/**
 * Maximum difference between `nowMicros` and `Date.now()` in milliseconds. Beyond it, `nowMicros` adopts
 * `Date.now()`.
 */
const TOLERANCE_MS = 2

let offset = Number.NaN

let lastSteady = 0

/** Returns `performance.now()` at the last call of {@link nowMicros}. */
export const lastSteadyMs = (): number => lastSteady

/**
 * Returns microseconds since 1970. `Date.now()` counts whole milliseconds, and `performance.now()` refines the result:
 * to 100 µs in Chromium, to 1 ms in Firefox unless the page is cross-origin isolated. When the two diverge, for example
 * because the system time was set or the laptop slept, the result is that of `Date.now()`.
 */
export function nowMicros(): number {
  const wall = Date.now()
  const steady = performance.now()
  lastSteady = steady
  const refined = offset + steady
  if (Math.abs(refined - wall) <= TOLERANCE_MS) return Math.floor(refined * 1000)
  offset = wall - steady
  return wall * 1000
}
