import type { Call } from '../../foundation/model/call.js'
import { Numbers, writeNumbers } from './layout.js'
import type { PackedCalls } from './packed.js'

/**
 * Maximum number of calls in a group. A larger group would save little time, and its first call would wait
 * longer.
 */
export const MAX_GROUP_CALLS = 48
const NUMBER_BYTES = 4 * Numbers * MAX_GROUP_CALLS
/** Capacity for payloads and tags, in bytes: enough for one call with two payloads of 64 KiB and a tag of 1 KiB. */
const PAYLOAD_BYTES = 129 * 1024
export const PACKER_BYTES = NUMBER_BYTES + PAYLOAD_BYTES

/** Writer of calls into reusable memory, so that it creates no garbage to collect. */
export class Packer {
  readonly memory: ArrayBufferLike
  readonly #numbers: Uint32Array
  readonly #bytes: Uint8Array
  #size = 0
  #length = 0

  constructor(memory: ArrayBufferLike = new ArrayBuffer(PACKER_BYTES)) {
    this.memory = memory
    this.#numbers = new Uint32Array(memory, 0, Numbers * MAX_GROUP_CALLS)
    this.#bytes = new Uint8Array(memory, NUMBER_BYTES)
  }

  get size(): number {
    return this.#size
  }

  /** Offset of the next payload in `packed.bytes`. */
  get length(): number {
    return this.#length
  }

  hasRoom(bytes: number): boolean {
    return this.#size < MAX_GROUP_CALLS && this.#length + bytes <= PAYLOAD_BYTES
  }

  /** Adds a call completely or not at all: throws a TypeError for a payload with a detached buffer. */
  add(call: Call): void {
    const end = this.#put(call.payload.bytes, this.#length)
    const previousEnd = call.previous ? this.#put(call.previous.bytes, end) : end
    const length = call.tag ? this.#put(call.tag, previousEnd) : previousEnd
    writeNumbers(this.#numbers, Numbers * this.#size, call)
    this.#size++
    this.#length = length
  }

  /** Adds calls that another packer has written. */
  copy({ numbers, bytes }: PackedCalls): void {
    this.#numbers.set(numbers, Numbers * this.#size)
    this.#size += numbers.length / Numbers
    this.#length = this.#put(bytes, this.#length)
  }

  get packed(): PackedCalls {
    return viewPacked(this.memory, this.#size, this.#length)
  }

  clear(): void {
    this.#size = 0
    this.#length = 0
  }

  #put(payload: Uint8Array, at: number): number {
    this.#bytes.set(payload, at)
    return at + payload.length
  }
}

/** Returns views of the calls in a packer's memory, even after the memory was transferred to another thread. */
export function viewPacked(memory: ArrayBufferLike, size: number, length: number): PackedCalls {
  return {
    numbers: new Uint32Array(memory, 0, Numbers * size),
    bytes: new Uint8Array(memory, NUMBER_BYTES, length),
  }
}

/** Returns the number of bytes that a packer has written, if its payloads end at `length`. */
export function writtenBytes(length: number): number {
  return NUMBER_BYTES + length
}
