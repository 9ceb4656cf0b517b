import { Longest } from '../core/core.js'
import { PACKER_BYTES } from '../seal/packer.js'
import type { OutOfLine } from './protocol.js'

/** Memory of jobs that are done, for the next ones. */
const spare: ArrayBufferLike[] = []
const MOST_SPARE = 32

/** Memory that workers can read while it stays here. A page that is not isolated has none: there they get copies. */
export function sharedMemory(bytes: number): ArrayBufferLike {
  return typeof SharedArrayBuffer === 'function' ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes)
}

/** Memory of any realm, whose class need not be this one's. */
export function isShared(buffer: ArrayBufferLike): buffer is SharedArrayBuffer {
  return Object.prototype.toString.call(buffer) === '[object SharedArrayBuffer]'
}

/** Memory for a job: for as many bytes, or more. */
export function takeMemory(bytes = PACKER_BYTES): ArrayBufferLike {
  return bytes > PACKER_BYTES ? sharedMemory(bytes) : (spare.pop() ?? sharedMemory(PACKER_BYTES))
}

/** Only of a job that was answered: a worker that has not may still be writing there. */
export function giveBack(memory: ArrayBufferLike): void {
  if (memory.byteLength === PACKER_BYTES && spare.length < MOST_SPARE) spare.push(memory)
}

/** What of a job's memory to post, of which so much is written, and what of that to transfer. */
export function posted(
  memory: ArrayBufferLike,
  written: number,
): { readonly memory: ArrayBufferLike; readonly transfer: readonly ArrayBuffer[] } {
  if (isShared(memory)) return { memory, transfer: [] }
  const copy = memory.slice(0, written) as ArrayBuffer
  return { memory: copy, transfer: [copy] }
}

/**
 * A payload on its way to a worker without being copied into its job: shared memory goes as it is, what the
 * caller hands over is taken from it at once, so that it is gone however busy the workers are, and what is long gets
 * memory of its own. Undefined for a payload that is better copied.
 */
export function outOfLine(
  payload: Uint8Array,
  isHandedOver: boolean,
): Pick<OutOfLine, 'payload' | 'isHandedOver'> | undefined {
  if (isShared(payload.buffer)) return { payload, isHandedOver: false }
  // Nothing cannot be told from what has been handed over already.
  const taken = isHandedOver && payload.length > 0 ? takenOver(payload) : undefined
  if (taken) return { payload: taken, isHandedOver: true }
  if (payload.length <= Longest.Unhashed) return undefined
  const copy = new Uint8Array(sharedMemory(payload.length))
  copy.set(payload)
  return { payload: copy, isHandedOver: false }
}

/** Undefined where the bytes have to be copied: the buffer holds more than the payload, or cannot be transferred. */
function takenOver({ buffer, byteLength }: Uint8Array): Uint8Array | undefined {
  if (byteLength !== buffer.byteLength) return undefined
  try {
    return new Uint8Array(structuredClone(buffer, { transfer: [buffer as ArrayBuffer] }))
  } catch {
    return undefined // WebAssembly's memory, for example.
  }
}
