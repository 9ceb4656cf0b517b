import { assertBytes } from '../../foundation/base/errors.js'
import { MAX_GROUP_CALLS } from '../../signing/seal/packer.js'
import type { JobMessage, PackedItems, Packing } from './job.js'
import { giveBack, memoryToPost, takeMemory } from './memory.js'
import type { VerifyRequest } from './protocol.js'

export interface Verifiable {
  readonly message: Uint8Array
  readonly payload: Uint8Array | undefined
}

/** Number of lengths for each item: of the message, and of the payload. */
const LENGTHS = 2
const LENGTH_BYTES = 4 * LENGTHS * MAX_GROUP_CALLS
/** Number in place of a length if an item has no payload. */
const NO_PAYLOAD = 0xffff_ffff

/** Messages to be verified, packed into a job: first the lengths of all, then each message and its payload. */
class MessageItems implements PackedItems<Verifiable> {
  readonly #memory: ArrayBufferLike
  readonly #lengths: Uint32Array
  readonly #bytes: Uint8Array
  #size = 0
  #end = 0

  constructor(bytes: number) {
    this.#memory = takeMemory(LENGTH_BYTES + bytes)
    this.#lengths = new Uint32Array(this.#memory, 0, LENGTHS * MAX_GROUP_CALLS)
    this.#bytes = new Uint8Array(this.#memory, LENGTH_BYTES)
  }

  hasRoom(bytes: number): boolean {
    return this.#size < MAX_GROUP_CALLS && this.#end + bytes <= this.#bytes.length
  }

  add({ message, payload }: Verifiable): void {
    const at = LENGTHS * this.#size++
    this.#lengths[at] = this.#put(message)
    this.#lengths[at + 1] = payload ? this.#put(payload) : NO_PAYLOAD
  }

  post(job: number, context: number): JobMessage {
    const { memory, transfer } = memoryToPost(this.#memory, LENGTH_BYTES + this.#end)
    return { request: { type: 'verify', job, context, memory, size: this.#size }, transfer }
  }

  get isWhole(): boolean {
    return true
  }

  split(): MessageItems[] {
    return verifiablesIn({ memory: this.#memory, size: this.#size }).map((one) => {
      const alone = new MessageItems(bytesOf(one))
      alone.add(one)
      return alone
    })
  }

  recycle(): void {
    giveBack(this.#memory)
  }

  #put(bytes: Uint8Array): number {
    this.#bytes.set(bytes, this.#end)
    this.#end += bytes.length
    return bytes.length
  }
}

/** Returns the messages and payloads of a request, as views on the request's memory. */
export function verifiablesIn({ memory, size }: Pick<VerifyRequest, 'memory' | 'size'>): Verifiable[] {
  const lengths = new Uint32Array(memory, 0, LENGTHS * size)
  let end = LENGTH_BYTES
  const next = (length: number) => {
    const piece = new Uint8Array(memory, end, length)
    end += length
    return piece
  }
  return Array.from({ length: size }, (_, item) => {
    const [message = 0, payload = NO_PAYLOAD] = lengths.subarray(LENGTHS * item)
    return { message: next(message), payload: payload === NO_PAYLOAD ? undefined : next(payload) }
  })
}

function bytesOf({ message, payload }: Verifiable): number {
  return message.length + (payload?.length ?? 0)
}

export const MESSAGES: Packing<Verifiable> = {
  bytesOf,
  assertWhole: ({ message, payload }) => {
    assertBytes(message, 'message')
    if (payload) assertBytes(payload, 'payload')
  },
  empty: (bytes) => new MessageItems(bytes),
}
