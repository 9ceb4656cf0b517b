import type { Call } from '../model/call.js'
import { Numbers, writeNumbers } from './layout.js'
import type { PackedCalls } from './packed.js'

/** Calls that go together: more of them would gain little, and the first would wait for the last. */
export const MOST_CALLS = 48
const NUMBER_BYTES = 4 * Numbers * MOST_CALLS
/** Two payloads as long as are ever copied here, and a tag. */
const PAYLOAD_BYTES = 129 * 1024
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
    this.#numbers = new Uint32Array(memory, 0, Numbers * MOST_CALLS)
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

  /** Adds all of a call, or nothing: a payload whose buffer is gone is a TypeError. */
  add(call: Call): void {
    const end = this.#put(call.payload.bytes, this.#length)
    const previousEnd = call.previous ? this.#put(call.previous.bytes, end) : end
    const length = call.tag ? this.#put(call.tag, previousEnd) : previousEnd
    writeNumbers(this.#numbers, Numbers * this.#size, call)
    this.#size++
    this.#length = length
  }

  /** Adds calls that another packer wrote. */
  copy({ numbers, bytes }: PackedCalls): void {
    this.#numbers.set(numbers, Numbers * this.#size)
    this.#size += numbers.length / Numbers
    this.#length = this.#put(bytes, this.#length)
  }

  /** The calls so far, as views. */
  get packed(): PackedCalls {
    return packedIn(this.memory, this.#size, this.#length)
  }

  /** Forgets the calls. */
  clear(): void {
    this.#size = 0
    this.#length = 0
  }

  /** Where the next one goes. */
  #put(payload: Uint8Array, at: number): number {
    this.#bytes.set(payload, at)
    return at + payload.length
  }
}

/** The calls that a packer has written to its memory, wherever that is now. */
export function packedIn(memory: ArrayBufferLike, size: number, length: number): PackedCalls {
  return {
    numbers: new Uint32Array(memory, 0, Numbers * size),
    bytes: new Uint8Array(memory, NUMBER_BYTES, length),
  }
}

/** How much of a packer's memory is written when its payloads end at `length`. */
export function writtenBytes(length: number): number {
  return NUMBER_BYTES + length
}
