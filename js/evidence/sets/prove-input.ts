import { toBase64 } from '../../foundation/base/bytes/base64.js'
import { toHex } from '../../foundation/base/bytes/hex.js'
import { join } from '../../foundation/base/bytes/join.js'
import { malformed, needs, numberOr } from '../../foundation/base/errors.js'
import { assertNames } from '../../foundation/base/options/names.js'
import { callTurns } from '../../foundation/base/time/turns.js'
import { leavesOfInputs } from '../../foundation/core/input-leaves.js'
import { HASH_BYTES, parentsOf } from '../../foundation/core/tree.js'
import type { Input } from '../../foundation/model/bundle.js'
import { identityBytes } from '../../verifying/verify/extract.js'
import type { VerifyOptions } from '../../verifying/verify/options.js'
import { decodeToJson } from '../../verifying/verify/readable.js'
import { writeInputProof } from './input-proof.js'
import { nodeIn, pathOf } from './tree.js'

const STEP_INPUTS = 2048

interface MessageWithInputs {
  readonly content: { readonly inputs?: readonly Input[] }
}

/**
 * Proves that a payload was made from one input. The proof shows the number of inputs, but not the other inputs. This
 * function does not verify the message.
 *
 * @param message - message of one bundle with inputs; extract it from its batch first, with `extractBundle`
 * @param index - position of the input, from 0
 * @returns the proof as a message, about 1,300 bytes for 10,000 inputs
 * @throws RangeError if `index` is not a whole number, or is below 0
 * @throws AlvariumError `MESSAGE_MALFORMED` if the message is not one bundle with inputs, or has no input at `index`
 *
 * @example
 * ```ts
 * import { extractBundle } from 'alvarium-sdk'
 * import { proveInput, verifyInput } from 'alvarium-sdk/sets'
 *
 * const { message, index: place } = await sdk.mutate(readings, average)
 * const proof = await proveInput(extractBundle(message, place), 0)
 * const { size } = await verifyInput(proof, { keyring, input: readings[0] })
 * console.log(size === readings.length) // true
 * ```
 */
export async function proveInput(
  message: Uint8Array,
  index: number,
  options: Pick<VerifyOptions, 'codec'> = {},
): Promise<Uint8Array> {
  assertNames(options, ['codec'])
  if (!Number.isInteger(index) || index < 0)
    throw new RangeError(`index: expected 0 or more, got ${numberOr(index)}`)
  const text = decodeToJson(message, options.codec)
  // Let the core parse the message, because the core refuses JSON that has two meanings.
  identityBytes(text)
  const whole: MessageWithInputs = JSON.parse(new TextDecoder().decode(text))
  const { inputs } = whole.content
  if (!inputs) throw needs('message', 'a bundle with inputs', 'MESSAGE_MALFORMED')
  const input = inputs[index]
  if (!input) throw malformed('index', `below ${inputs.length}`, `${index}`)
  const levels = await levelsOf(inputs)
  const size = inputs.length
  const path = pathOf({ index, count: 1, size }, (level, at) => nodeIn(levels[level] as Uint8Array, at))
  const root = toHex(nodeIn(levels.at(-1) as Uint8Array, 0))
  const bundle = { ...whole, content: { ...whole.content, inputs: { size, root } } }
  return writeInputProof({ index, input, path: toBase64(path), bundle })
}

/** Returns the levels of the tree from the leaves up to the root. */
async function levelsOf(inputs: readonly Input[]): Promise<Uint8Array[]> {
  const leaves: Uint8Array[] = []
  for (let at = 0; at < inputs.length; at += STEP_INPUTS) {
    leaves.push(leavesOfInputs(inputs.slice(at, at + STEP_INPUTS)))
    await callTurns.yieldIfDueLong()
  }
  const levels = [join(leaves).bytes]
  for (let level = levels[0] as Uint8Array; level.length > HASH_BYTES; levels.push(level)) {
    level = parentsOf(level)
    await callTurns.yieldIfDueLong()
  }
  return levels
}
