import type { Call } from '../../foundation/model/call.js'
import { Numbers, writeNumbers } from './layout.js'
import type { PackedCalls } from './packed.js'

/** Maximum number of calls in a group: more would gain little, and the first call would wait for the last. */
export const MAX_GROUP_CALLS = 48
const NUMBER_BYTES = 4 * Numbers * MAX_GROUP_CALLS
/** Capacity for payloads in bytes: two of the longest that are ever copied here, and a tag. */
const PAYLOAD_BYTES = 129 * 1024
/** Memory of a packer in bytes. */
export const PACKER_BYTES = NUMBER_BYTES + PAYLOAD_BYTES

/** Writes calls one after the other into reusable memory, so that there is no garbage to collect. */
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

  /** Returns whether a call with some bytes can be added. */
  hasRoom(bytes: number): boolean {
    return this.#size < MAX_GROUP_CALLS && this.#length + bytes <= PAYLOAD_BYTES
  }

  /** Adds a whole call, or nothing: throws a TypeError for a payload whose buffer is detached. */
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

  /** Views of the calls so far. */
  get packed(): PackedCalls {
    return viewPacked(this.memory, this.#size, this.#length)
  }

  clear(): void {
    this.#size = 0
    this.#length = 0
  }

  /** Writes bytes, and returns the offset after them. */
  #put(payload: Uint8Array, at: number): number {
    this.#bytes.set(payload, at)
    return at + payload.length
  }
}

/** Returns views of the calls that a packer has written to its memory, wherever that is now. */
export function viewPacked(memory: ArrayBufferLike, size: number, length: number): PackedCalls {
  return {
    numbers: new Uint32Array(memory, 0, Numbers * size),
    bytes: new Uint8Array(memory, NUMBER_BYTES, length),
  }
}

/** Returns the number of written bytes in a packer's memory, if its payloads end at `length`. */
export function writtenBytes(length: number): number {
  return NUMBER_BYTES + length
}
