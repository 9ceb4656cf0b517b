import { join } from '../../foundation/base/bytes/join.js'
import type { CallInputs } from '../../foundation/model/call.js'

const [OPEN, CLOSE] = [Uint8Array.of(0x5b), Uint8Array.of(0x5d)]
const [OPEN_OBJECT, CLOSE_OBJECT] = [0x7b, 0x7d]
/** Start of the field `inputs` in JSON. No string contains it, because quotation marks are escaped. */
const BEFORE = new TextEncoder().encode('"inputs":')

/**
 * Adds the lists of inputs, in the order of the bundles, to a message that the core has signed without them.
 * The signature covers the root of each list.
 */
export function withInputs(json: Uint8Array, inputs: readonly CallInputs[]): Uint8Array {
  if (inputs.length === 0) return json
  const pieces: Uint8Array[] = []
  let from = 0
  for (const { list } of inputs) {
    const at = placeOfInputs(json, from)
    pieces.push(json.subarray(from, at), OPEN, ...list, CLOSE)
    from = json.indexOf(CLOSE_OBJECT, at) + 1
  }
  return join([...pieces, json.subarray(from)]).bytes
}

/** Returns the offset of the next placeholder object for inputs. */
function placeOfInputs(json: Uint8Array, from: number): number {
  for (let at = json.indexOf(OPEN_OBJECT, from); at >= 0; at = json.indexOf(OPEN_OBJECT, at + 1)) {
    const start = at - BEFORE.length
    if (BEFORE.every((byte, next) => json[start + next] === byte)) return at
  }
  return json.length
}
