import { isBytes } from '../base/errors.js'
import type { InputPayload, InputSet } from '../model/bundle.js'

/**
 * What a payload was made from: another payload, as bytes or by its hash and payload key; or a sealed set, by its id.
 */
export type MutateInput = Uint8Array | InputPayload | InputSet

/** Whether these are the inputs of a mutate, and not its one payload: they are if they can be iterated and are no view of memory. */
export function areInputs(value: unknown): value is Iterable<MutateInput> {
  if (typeof value !== 'object' || value === null || isBytes(value) || ArrayBuffer.isView(value)) return false
  return Symbol.iterator in value
}
