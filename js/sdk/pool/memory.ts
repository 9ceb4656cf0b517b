import { MaxBytes } from '../../foundation/core/core.js'
import { PACKER_BYTES } from '../../signing/seal/packer.js'
import type { OutOfLine } from './protocol.js'

const spare: ArrayBufferLike[] = []
const MAX_SPARE = 32

/**
 * Returns memory that this thread shares with workers. In a page that is not cross-origin isolated, there is
 * no shared memory, and workers receive copies.
 */
function sharedMemory(bytes: number): ArrayBufferLike {
  return typeof SharedArrayBuffer === 'function' ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes)
}

/** Returns whether a buffer is shared memory, even if it comes from another realm. */
export function isShared(buffer: ArrayBufferLike): buffer is SharedArrayBuffer {
  return Object.prototype.toString.call(buffer) === '[object SharedArrayBuffer]'
}

export function takeMemory(bytes = PACKER_BYTES): ArrayBufferLike {
  return bytes > PACKER_BYTES ? sharedMemory(bytes) : (spare.pop() ?? sharedMemory(PACKER_BYTES))
}

/** Stores an answered job's memory for reuse. A worker may still write to the memory of any other job. */
export function giveBack(memory: ArrayBufferLike): void {
  if (memory.byteLength === PACKER_BYTES && spare.length < MAX_SPARE) spare.push(memory)
}

/**
 * Returns a job's memory for a message to a worker, with the buffers to transfer. Without shared memory,
 * returns a copy of the written part.
 */
export function memoryToPost(
  memory: ArrayBufferLike,
  writtenBytes: number,
): { readonly memory: ArrayBufferLike; readonly transfer: readonly ArrayBuffer[] } {
  if (isShared(memory)) return { memory, transfer: [] }
  const copy = memory.slice(0, writtenBytes) as ArrayBuffer
  return { memory: copy, transfer: [copy] }
}

/**
 * Returns a payload that is sent to a worker outside the job's memory; undefined if it should be copied into
 * the job. Shared memory is sent unchanged. A payload to transfer is taken from the caller immediately,
 * however busy the workers are. A long payload gets its own memory.
 */
export function outOfLine(
  payload: Uint8Array,
  isHandedOver: boolean,
): Pick<OutOfLine, 'payload' | 'isHandedOver'> | undefined {
  if (isShared(payload.buffer)) return { payload, isHandedOver: false }
  // Do not transfer an empty payload, because it looks like a payload that was transferred already.
  const movedPayload = isHandedOver && payload.length > 0 ? takenOver(payload) : undefined
  if (movedPayload) return { payload: movedPayload, isHandedOver: true }
  if (payload.length <= MaxBytes.Unhashed) return undefined
  const copy = new Uint8Array(sharedMemory(payload.length))
  copy.set(payload)
  return { payload: copy, isHandedOver: false }
}

/**
 * Transfers a payload's buffer to a new array. Returns undefined if the bytes must be copied, because the
 * buffer is longer than the payload, or cannot be transferred.
 */
function takenOver({ buffer, byteLength }: Uint8Array): Uint8Array | undefined {
  if (byteLength !== buffer.byteLength) return undefined
  try {
    return new Uint8Array(structuredClone(buffer, { transfer: [buffer as ArrayBuffer] }))
  } catch {
    return undefined // The buffer cannot be transferred: it may be WebAssembly's memory.
  }
}
