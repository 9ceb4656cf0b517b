import { LONGEST_UNHASHED } from '../hashing/hashing.js'
import { isShared, sharedMemory } from './memory.js'
import type { Apart } from './protocol.js'

/**
 * A payload on its way to a worker without being copied into its group: shared memory goes as it is, what the
 * caller hands over is taken from it at once, so that it is gone however busy the workers are, and what is long gets
 * memory of its own. Undefined for a payload that is better copied.
 */
export function apartOf(
  payload: Uint8Array,
  isHandedOver: boolean,
): Pick<Apart, 'payload' | 'isHandedOver'> | undefined {
  if (isShared(payload.buffer)) return { payload, isHandedOver: false }
  // Nothing cannot be told from what has been handed over already.
  const taken = isHandedOver && payload.length > 0 ? takenOver(payload) : undefined
  if (taken) return { payload: taken, isHandedOver: true }
  if (payload.length <= LONGEST_UNHASHED) return undefined
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
