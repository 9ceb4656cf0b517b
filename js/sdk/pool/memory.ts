import { MaxBytes } from '../../foundation/core/core.js'
import { PACKER_BYTES } from '../../signing/seal/packer.js'
import type { OutOfLine } from './protocol.js'

/** Memory of finished jobs, for the next ones. */
const spare: ArrayBufferLike[] = []
const MAX_SPARE = 32

/**
 * Returns memory that workers can read while it stays here. A page that is not isolated has no shared memory: its
 * workers get copies.
 */
export function sharedMemory(bytes: number): ArrayBufferLike {
  return typeof SharedArrayBuffer === 'function' ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes)
}

/** Returns whether a buffer is shared memory of any realm, whose class may differ from ours. */
export function isShared(buffer: ArrayBufferLike): buffer is SharedArrayBuffer {
  return Object.prototype.toString.call(buffer) === '[object SharedArrayBuffer]'
}

/** Returns memory for a job, with at least as many bytes. */
export function takeMemory(bytes = PACKER_BYTES): ArrayBufferLike {
  return bytes > PACKER_BYTES ? sharedMemory(bytes) : (spare.pop() ?? sharedMemory(PACKER_BYTES))
}

/** Takes back the memory of an answered job. A worker that has not answered may still be writing to it. */
export function giveBack(memory: ArrayBufferLike): void {
  if (memory.byteLength === PACKER_BYTES && spare.length < MAX_SPARE) spare.push(memory)
}

/**
 * Returns a job's memory for a message to a worker, with the buffers to transfer. Without shared memory, it is a copy
 * of the written part.
 */
export function memoryToPost(
  memory: ArrayBufferLike,
  written: number,
): { readonly memory: ArrayBufferLike; readonly transfer: readonly ArrayBuffer[] } {
  if (isShared(memory)) return { memory, transfer: [] }
  const copy = memory.slice(0, written) as ArrayBuffer
  return { memory: copy, transfer: [copy] }
}

/**
 * Returns a payload to send to a worker without a copy in its job. Shared memory is sent unchanged. A transferred
 * payload is taken from the caller immediately, however busy the workers are. A long payload gets its own memory.
 * Undefined for a payload that should be copied into the job.
 */
export function outOfLine(
  payload: Uint8Array,
  isHandedOver: boolean,
): Pick<OutOfLine, 'payload' | 'isHandedOver'> | undefined {
  if (isShared(payload.buffer)) return { payload, isHandedOver: false }
  // An empty payload cannot be distinguished from one that was transferred already.
  const taken = isHandedOver && payload.length > 0 ? takenOver(payload) : undefined
  if (taken) return { payload: taken, isHandedOver: true }
  if (payload.length <= MaxBytes.Unhashed) return undefined
  const copy = new Uint8Array(sharedMemory(payload.length))
  copy.set(payload)
  return { payload: copy, isHandedOver: false }
}

/**
 * Takes over a payload's buffer. Undefined if the bytes must be copied: the buffer holds more than the payload, or
 * cannot be transferred.
 */
function takenOver({ buffer, byteLength }: Uint8Array): Uint8Array | undefined {
  if (byteLength !== buffer.byteLength) return undefined
  try {
    return new Uint8Array(structuredClone(buffer, { transfer: [buffer as ArrayBuffer] }))
  } catch {
    return undefined // Not transferable: WebAssembly's memory, for example.
  }
}
