import { assertBytes } from '../../foundation/base/errors.js'
import { bytesOf, type Call } from '../../foundation/model/call.js'
import type { HashInput } from '../../foundation/model/payload.js'
import { splitCalls } from '../../signing/seal/packed.js'
import { Packer, writtenBytes } from '../../signing/seal/packer.js'
import type { JobMessage, PackedItems, Packing } from './job.js'
import { giveBack, memoryToPost, outOfLine, takeMemory } from './memory.js'
import type { OutOfLine } from './protocol.js'

/** Placeholder for the digest of a payload outside the job's memory, at least as long as any hash. */
const ROOM_FOR_DIGEST: HashInput = { bytes: new Uint8Array(32), isDigest: true }

class CallItems implements PackedItems<Call> {
  readonly #packer = new Packer(takeMemory())
  readonly #outOfLine: OutOfLine[] = []

  /**
   * Returns whether a call with `bytes` bytes of payloads still fits into the job. Adds the length of two
   * digests, because a digest may be longer than the payload that it replaces.
   */
  hasRoom(bytes: number): boolean {
    return this.#packer.hasRoom(bytes + 2 * ROOM_FOR_DIGEST.bytes.length)
  }

  add(call: Call): void {
    const payload = this.#inline(call.payload, call, this.#packer.length)
    const previousAt = this.#packer.length + payload.bytes.length
    const previous = call.previous && this.#inline(call.previous, call, previousAt)
    this.#packer.add({ ...call, payload, previous })
  }

  post(job: number, context: number): JobMessage {
    const { size, length } = this.#packer
    const { memory, transfer } = memoryToPost(this.#packer.memory, writtenBytes(length))
    const handedOver = this.#outOfLine.filter(({ isHandedOver }) => isHandedOver)
    const buffers = handedOver.map(({ payload }) => payload.buffer as ArrayBuffer)
    return {
      request: { type: 'seal', job, context, memory, size, length, outOfLine: this.#outOfLine },
      transfer: [...transfer, ...buffers],
    }
  }

  get isWhole(): boolean {
    return this.#outOfLine.every(isStillHere)
  }

  split(): (CallItems | undefined)[] {
    const { packed } = this.#packer
    return splitCalls(packed).map((one) => {
      const start = one.bytes.byteOffset - packed.bytes.byteOffset
      const pieces = this.#outOfLine.filter(({ at }) => at >= start && at < start + one.bytes.length)
      if (!pieces.every(isStillHere)) return undefined
      const alone = new CallItems()
      alone.#packer.copy(one)
      alone.#outOfLine.push(...pieces.map((piece) => ({ ...piece, at: piece.at - start })))
      return alone
    })
  }

  recycle(): void {
    giveBack(this.#packer.memory)
  }

  #inline(input: HashInput, { transfer = false }: Call, at: number): HashInput {
    const piece = input.isDigest ? undefined : outOfLine(input.bytes, transfer)
    if (!piece) return input
    this.#outOfLine.push({ ...piece, length: piece.payload.length, at })
    return ROOM_FOR_DIGEST
  }
}

function isStillHere({ payload, length }: OutOfLine): boolean {
  return payload.length === length
}

export const CALLS: Packing<Call> = {
  bytesOf,
  assertWhole: ({ payload, previous }) => {
    assertBytes(payload.bytes, 'payload')
    if (previous) assertBytes(previous.bytes, 'payload')
  },
  empty: () => new CallItems(),
}
