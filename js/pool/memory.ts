import { PACKER_BYTES } from '../seal/packer.js'

/** Memory of groups that are done, for the next ones. */
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

/** Memory for a group: for as many bytes, or more. */
export function takeMemory(bytes = PACKER_BYTES): ArrayBufferLike {
  return bytes > PACKER_BYTES ? sharedMemory(bytes) : (spare.pop() ?? sharedMemory(PACKER_BYTES))
}

/** Only of a group that was answered: a worker that has not may still be writing there. */
export function giveBack(memory: ArrayBufferLike): void {
  if (memory.byteLength === PACKER_BYTES && spare.length < MOST_SPARE) spare.push(memory)
}

/** What of a group's memory to post, of which so much is written, and what of that to transfer. */
export function posted(
  memory: ArrayBufferLike,
  written: number,
): { readonly memory: ArrayBufferLike; readonly transfer: readonly ArrayBuffer[] } {
  if (isShared(memory)) return { memory, transfer: [] }
  const copy = memory.slice(0, written) as ArrayBuffer
  return { memory: copy, transfer: [copy] }
}
