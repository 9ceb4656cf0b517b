/** @typedef {(below: number) => number} Random a whole number from 0 on */

/**
 * Returns a generator of pseudorandom numbers, the same for one seed (mulberry32).
 *
 * @param {number} seed @returns {Random}
 */
export function randomFrom(seed) {
  let state = seed
  return (/** @type {number} */ below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}
