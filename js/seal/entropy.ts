import { randomFill } from '../base/bytes/random.js'

/** Random words kept at hand: one call of getRandomValues costs about as much as fetching thousands. */
const words = new Uint32Array(4096)
let next = words.length

/** A fresh random number of 32 bits, from the platform's cryptographic generator. Each is given out once. */
export function randomWord(): number {
  if (next === words.length) {
    randomFill(words)
    next = 0
  }
  const word = words[next] as number
  words[next++] = 0
  return word
}
