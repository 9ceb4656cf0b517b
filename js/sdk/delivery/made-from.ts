import { isBytes } from '../../foundation/base/errors.js'
import type { InputPayload, InputSet } from '../../foundation/model/bundle.js'

/**
 * Input from which a payload was made: another payload, as bytes or by its hash and payload key; or a sealed
 * set, by its id.
 */
export type MutateInput = Uint8Array | InputPayload | InputSet

/** Returns whether an argument of `mutate` is a list of inputs: an iterable other than an `ArrayBuffer` view. */
export function areInputs(value: unknown): value is Iterable<MutateInput> {
  if (typeof value !== 'object' || value === null || isBytes(value) || ArrayBuffer.isView(value)) return false
  return Symbol.iterator in value
}
