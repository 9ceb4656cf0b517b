import { isBytes } from '../base/errors.js'
import type { InputPayload, InputSet } from '../model/bundle.js'

/**
 * What a payload was made from: the bytes of a payload; the name of one, by its hash and payload key, as bundles have them; or a sealed
 * set, by its id.
 */
export type MutateInput = Uint8Array | InputPayload | InputSet

/** Whether these are the inputs of a mutate, and not its one payload: an array or anything else that can be iterated, without the views of memory. */
export function areInputs(value: unknown): value is Iterable<MutateInput> {
  if (typeof value !== 'object' || value === null || isBytes(value) || ArrayBuffer.isView(value)) return false
  return Symbol.iterator in value
}
