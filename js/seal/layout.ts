import { join } from '../base/bytes/join.js'
import { randomFill } from '../base/bytes/random.js'
import { nowMicros } from '../base/time/clock.js'
import { Field, Flag } from '../core/core.js'
import { ACTIONS } from '../model/bundle.js'
import type { Call } from '../model/call.js'
import type { HashInput } from '../model/payload.js'

// Which number of a call is which, the core says (crate/src/crossing.rs): there is no second list to keep equal.
const { Action, Asked, Answers, MicrosLow, MicrosHigh, Entropy, Flags } = Field
export const { Length, PreviousLength, TagLength, Numbers } = Field
export const { Digest, Previous, PreviousDigest } = Flag
const { Tag, Inputs } = Flag

/** Writes a call's numbers, from the `at`th on: the time is now, the entropy fresh. */
export function writeNumbers(numbers: Uint32Array, at: number, call: Call): void {
  const { action, asked, answers, payload, previous, inputs, tag } = call
  const micros = nowMicros()
  numbers[at + Action] = ACTIONS.indexOf(action)
  numbers[at + Asked] = asked
  numbers[at + Answers] = answers
  numbers[at + MicrosLow] = micros
  numbers[at + MicrosHigh] = micros / 2 ** 32
  numbers[at + Entropy] = randomWord()
  numbers[at + Entropy + 1] = randomWord()
  numbers[at + Entropy + 2] = randomWord()
  numbers[at + Length] = payload.bytes.length
  numbers[at + PreviousLength] = previous ? previous.bytes.length : 0
  numbers[at + TagLength] = tag ? tag.length : 0
  const ofPrevious = inputs ? Inputs | PreviousDigest : previous ? flagsOf(previous) : 0
  numbers[at + Flags] = (payload.isDigest ? Digest : 0) | ofPrevious | (tag ? Tag : 0)
}

function flagsOf({ isDigest }: HashInput): number {
  return isDigest ? Previous | PreviousDigest : Previous
}

/** How long a payload is in its group: a field of numbers that `writeNumbers` wrote. */
export function lengthAt(numbers: Uint32Array, field: number): number {
  return numbers[field] as number
}

/** The flags of the call whose numbers begin at `at`. */
export function flagsAt(numbers: Uint32Array, at: number): number {
  return numbers[at + Flags] as number
}

/** Says that a payload of the call whose numbers begin at `at` is a digest now. */
export function setFlag(numbers: Uint32Array, at: number, flag: number): void {
  numbers[at + Flags] = flagsAt(numbers, at) | flag
}

const numbers = new Uint32Array(Numbers)

/** What a call is to the core: its numbers, its payload, and what stands behind that in a group. */
type Crossing = [numbers: Uint32Array, payload: Uint8Array, more?: Uint8Array]

/** A single call as the core takes it. The numbers are good until the next call. */
export function crossing(call: Call): Crossing {
  writeNumbers(numbers, 0, call)
  const { payload, previous, tag } = call
  if (tag) return [numbers, payload.bytes, previous ? join([previous.bytes, tag]).bytes : tag]
  return previous ? [numbers, payload.bytes, previous.bytes] : [numbers, payload.bytes]
}

/** Random words kept at hand: one call of getRandomValues costs about as much as fetching thousands. */
const words = new Uint32Array(4096)
let next = words.length

/** A fresh random number of 32 bits, from the platform's cryptographic generator. Each is given out once. */
function randomWord(): number {
  if (next === words.length) {
    randomFill(words)
    next = 0
  }
  const word = words[next] as number
  words[next++] = 0
  return word
}
