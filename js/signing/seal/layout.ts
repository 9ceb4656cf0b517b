import { join } from '../../foundation/base/bytes/join.js'
import { randomFill } from '../../foundation/base/bytes/random.js'
import { nowMicros } from '../../foundation/base/time/clock.js'
import { Field, Flag } from '../../foundation/core/core.js'
import { ACTIONS } from '../../foundation/model/bundle.js'
import type { Call } from '../../foundation/model/call.js'
import type { HashInput } from '../../foundation/model/payload.js'

// crate/src/crossing.rs defines the order of the numeric fields of a call.
const { Action, Asked, Answers, MicrosLow, MicrosHigh, Entropy, Flags } = Field
export const { Length, PreviousLength, TagLength, Numbers } = Field
export const { Digest, Previous, PreviousDigest } = Flag
const { Tag, Inputs } = Flag

/** Writes the numeric fields of a call from the index `at` on, with the current time and new random numbers. */
export function writeNumbers(numbers: Uint32Array, at: number, call: Call): void {
  const { action, annotatorBits, answers, payload, previous, inputs, tag } = call
  const micros = nowMicros()
  numbers[at + Action] = ACTIONS.indexOf(action)
  numbers[at + Asked] = annotatorBits
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

export function lengthAt(numbers: Uint32Array, field: number): number {
  return numbers[field] as number
}

export function flagsAt(numbers: Uint32Array, at: number): number {
  return numbers[at + Flags] as number
}

export function setFlag(numbers: Uint32Array, at: number, flag: number): void {
  numbers[at + Flags] = flagsAt(numbers, at) | flag
}

const numbers = new Uint32Array(Numbers)

/** Arguments of the core for a call: numeric fields, payload, and the bytes after the payload. */
type CoreArguments = [numbers: Uint32Array, payload: Uint8Array, more?: Uint8Array]

/** Returns the core's arguments for a single call. The next call overwrites the returned numbers. */
export function coreArguments(call: Call): CoreArguments {
  writeNumbers(numbers, 0, call)
  const { payload, previous, tag } = call
  if (tag) return [numbers, payload.bytes, previous ? join([previous.bytes, tag]).bytes : tag]
  return previous ? [numbers, payload.bytes, previous.bytes] : [numbers, payload.bytes]
}

/** Cache of random words, because one call of getRandomValues costs about as much as reading thousands of words. */
const words = new Uint32Array(4096)
let next = words.length

/** Returns 32 random bits from the platform's cryptographic generator, and erases them from the cache. */
function randomWord(): number {
  if (next === words.length) {
    randomFill(words)
    next = 0
  }
  const word = words[next] as number
  words[next++] = 0
  return word
}
