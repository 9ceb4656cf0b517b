/** How far the refined clock may stray from `Date.now()` before it is set again. */
const TOLERANCE_MS = 2

let offset = Number.NaN

let lastSteady = 0

/** What `performance.now()` was when {@link nowMicros} was last asked. */
export const lastSteadyMs = (): number => lastSteady

/**
 * Microseconds since 1970. `Date.now()` counts whole milliseconds; between them `performance.now()` goes
 * on (by 100 µs in Chromium, and in Firefox by a millisecond too, unless the page is cross-origin isolated), and
 * where the two part (a clock that was set, a laptop that slept) `Date.now()` is right.
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
