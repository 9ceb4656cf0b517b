import { ACTIONS, type Action } from '../bundle.js'
import { nowMicros } from '../clock.js'
import { randomWord } from '../entropy.js'
import type { HashInput } from '../hashing.js'

/** Calls as the core and the workers take them: crate/src/group.rs has the layout. */
export interface Packed {
  readonly numbers: Uint32Array
  readonly bytes: Uint8Array
}

/** What is packed of a call. */
export interface PackedCall {
  readonly action: Action
  readonly payload: HashInput
  readonly previous: HashInput | undefined
  /** Bit n: annotator n was asked. */
  readonly asked: number
  /** Bit n: annotator n is satisfied. */
  readonly answers: number
}

/** How many bytes of payload a call has. */
export function bytesOf({ payload, previous }: Pick<PackedCall, 'payload' | 'previous'>): number {
  return payload.bytes.length + (previous?.bytes.length ?? 0)
}

const NUMBERS = 11
const LENGTH = 8
const PREVIOUS_LENGTH = 9
const FLAGS = 10
const ABSENT = 0xffff_ffff

/** Calls that go together: more of them would gain little, and the first would wait for the last. */
export const MOST_CALLS = 48
const NUMBER_BYTES = 4 * NUMBERS * MOST_CALLS
const PAYLOAD_BYTES = 128 * 1024
/** How much memory a packer needs. */
export const PACKER_BYTES = NUMBER_BYTES + PAYLOAD_BYTES

/** Writes calls one behind the other into memory that can be used again, so that there is nothing to collect. */
export class Packer {
  readonly memory: ArrayBufferLike
  readonly #numbers: Uint32Array
  readonly #bytes: Uint8Array
  #size = 0
  #length = 0

  constructor(memory: ArrayBufferLike = new ArrayBuffer(PACKER_BYTES)) {
    this.memory = memory
    this.#numbers = new Uint32Array(memory, 0, NUMBERS * MOST_CALLS)
    this.#bytes = new Uint8Array(memory, NUMBER_BYTES)
  }

  /** How many calls there are. */
  get size(): number {
    return this.#size
  }

  /** Where the next payload will stand in `packed.bytes`. */
  get length(): number {
    return this.#length
  }

  /** Whether a call with so many bytes can be added. */
  hasRoom(bytes: number): boolean {
    return this.#size < MOST_CALLS && this.#length + bytes <= PAYLOAD_BYTES
  }

  /** @param payload - and `previous`: what to write in place of the call's own */
  add(call: PackedCall, payload = call.payload, previous = call.previous): void {
    const { action, asked, answers } = call
    const numbers = this.#numbers
    const micros = nowMicros()
    let at = NUMBERS * this.#size++
    numbers[at++] = ACTIONS.indexOf(action)
    numbers[at++] = asked
    numbers[at++] = answers
    numbers[at++] = micros
    numbers[at++] = micros / 2 ** 32
    numbers[at++] = randomWord()
    numbers[at++] = randomWord()
    numbers[at++] = randomWord()
    numbers[at++] = this.#put(payload.bytes)
    numbers[at++] = previous ? this.#put(previous.bytes) : ABSENT
    numbers[at] = Number(payload.isDigest) | (Number(previous?.isDigest ?? false) << 1)
  }

  /** Adds calls that another packer wrote. */
  copy({ numbers, bytes }: Packed): void {
    this.#numbers.set(numbers, NUMBERS * this.#size)
    this.#size += numbers.length / NUMBERS
    this.#put(bytes)
  }

  /** The calls so far, as views. */
  get packed(): Packed {
    return packedIn(this.memory, this.#size, this.#length)
  }

  /** Forgets the calls. */
  clear(): void {
    this.#size = 0
    this.#length = 0
  }

  #put(payload: Uint8Array): number {
    this.#bytes.set(payload, this.#length)
    this.#length += payload.length
    return payload.length
  }
}

/** The calls that a packer has written to its memory, wherever that is now. */
export function packedIn(memory: ArrayBufferLike, size: number, length: number): Packed {
  return {
    numbers: new Uint32Array(memory, 0, NUMBERS * size),
    bytes: new Uint8Array(memory, NUMBER_BYTES, length),
  }
}

/** How much of a packer's memory is written when its payloads end at `length`. */
export function writtenBytes(length: number): number {
  return NUMBER_BYTES + length
}

/** Each of the calls on its own, as views on the group. */
export function apiece({ numbers, bytes }: Packed): Packed[] {
  let end = 0
  return Array.from({ length: numbers.length / NUMBERS }, (_, call) => {
    const one = numbers.subarray(NUMBERS * call, NUMBERS * (call + 1))
    const start = end
    end += lengthOf(one, LENGTH) + lengthOf(one, PREVIOUS_LENGTH)
    return { numbers: one, bytes: bytes.subarray(start, end) }
  })
}

/** The payloads of a single call. */
export function payloadsOf({
  numbers,
  bytes,
}: Packed): [payload: Uint8Array, previous: Uint8Array | undefined] {
  const length = lengthOf(numbers, LENGTH)
  return [bytes.subarray(0, length), numbers[PREVIOUS_LENGTH] === ABSENT ? undefined : bytes.subarray(length)]
}

/**
 * Hashes payloads from `least` bytes on, in a group's own memory: a digest stands at the beginning of what was its payload.
 */
export function digestInPlace(
  { numbers, bytes }: Packed,
  least: number,
  digest: (payload: Uint8Array) => Uint8Array,
): void {
  let at = 0
  for (let call = 0; call < numbers.length; call += NUMBERS) {
    for (const [field, flag] of [
      [LENGTH, 1],
      [PREVIOUS_LENGTH, 2],
    ] as const) {
      const length = lengthOf(numbers, call + field)
      const flags = numbers[call + FLAGS] as number
      if (length >= least && !(flags & flag)) {
        bytes.set(digest(bytes.subarray(at, at + length)), at)
        numbers[call + FLAGS] = flags | flag
      }
      at += length
    }
  }
}

/** What the core makes of a group: messages behind their lengths. Each in memory of its own, to be kept or transferred. */
export function messagesOf(joined: Uint8Array, size: number): Uint8Array[] {
  const lengths = new DataView(joined.buffer, joined.byteOffset)
  let end = 4 * size
  return Array.from({ length: size }, (_, at) => {
    const start = end
    end += lengths.getUint32(4 * at, true)
    return joined.slice(start, end)
  })
}

function lengthOf(numbers: Uint32Array, field: number): number {
  const length = numbers[field] as number
  return length === ABSENT ? 0 : length
}
