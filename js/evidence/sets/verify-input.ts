import { fromBase64 } from '../../foundation/base/bytes/base64.js'
import { toHex } from '../../foundation/base/bytes/hex.js'
import { AlvariumError, assertBytes, isBytes } from '../../foundation/base/errors.js'
import { assertNames } from '../../foundation/base/options/names.js'
import { keyIfAny } from '../../foundation/core/hashing.js'
import { leavesOfInputs } from '../../foundation/core/input-leaves.js'
import type { Bundle, Input } from '../../foundation/model/bundle.js'
import type { VerifiedBundle, VerifyOptions } from '../../verifying/verify/options.js'
import { checkPayload } from '../../verifying/verify/payload.js'
import { verifyShort } from '../../verifying/verify/short.js'
import { type InputProof, readInputProof } from './input-proof.js'
import { rootOf } from './tree.js'

/** Trusted keys, and the expected contents of the proof. */
export interface VerifyInputOptions
  extends Pick<VerifyOptions, 'keyring' | 'receivedAt' | 'leases' | 'checkpoints'> {
  /**
   * Expected input: a payload's bytes or name, or the id of a set. Without this option, check `input` of the result.
   */
  readonly input?: Uint8Array | Input | undefined
  /** Payload that was made from the input. Without this option, check `bundle.key` of the result. */
  readonly payload?: Uint8Array | undefined
}

/** Verified input of a payload. The payload may have further inputs. */
export interface VerifiedInput {
  readonly input: Input
  /** Position of the input, counted from 0. */
  readonly index: number
  /** Number of inputs of the payload. The proof does not show the other inputs. */
  readonly size: number
  /** Statement about the payload that was made from the input. It lacks the inputs, so do not store or score it. */
  readonly bundle: Omit<VerifiedBundle, 'inputs' | 'previousKey'>
}

const NAMES = ['keyring', 'receivedAt', 'leases', 'checkpoints', 'input', 'payload']

/**
 * Verifies a proof from `proveInput` that a payload was made from an input.
 *
 * @throws TypeError if `proof` or `payload` is not a `Uint8Array`, or `receivedAt` is not a time
 * @throws AlvariumError `MESSAGE_MALFORMED`, `SIGNER_UNKNOWN`, `SIGNATURE_INVALID`, `PAYLOAD_MISMATCH`, and
 * errors of the trust policy as in `verifyMessage`; `PROOF_INVALID` if the proof does not lead to the signed
 * root, or shows an input other than `input`
 *
 * @example
 * ```ts
 * import { extractBundle } from 'alvarium-sdk'
 * import { proveInput, verifyInput } from 'alvarium-sdk/sets'
 *
 * const { message, index: place } = await sdk.mutate(readings, average)
 * const { index, size } = await verifyInput(await proveInput(extractBundle(message, place), 0), { keyring, payload: average })
 * console.log(`input ${index} of ${size}`)
 * ```
 */
export async function verifyInput(proof: Uint8Array, options: VerifyInputOptions): Promise<VerifiedInput> {
  assertNames(options, NAMES)
  const { input, payload, ...trusting } = options
  if (payload !== undefined) assertBytes(payload, 'payload')
  const read = readInputProof(proof)
  const text = new TextEncoder().encode(JSON.stringify(read.bundle))
  const { inputs, ...bundle } = await verifyShort(text, trusting)
  if (payload !== undefined) checkPayload(bundle as Bundle, payload)
  assertLeads(read, inputs)
  if (input !== undefined && !isSame(read.input, input)) {
    throw new AlvariumError('PROOF_INVALID', 'proof.input: differs from the given input')
  }
  const payloadChecked = payload !== undefined
  return { input: read.input, index: read.index, size: inputs.size, bundle: { ...bundle, payloadChecked } }
}

function assertLeads(
  { index, input, path }: InputProof,
  { size, root }: { size: number; root: string },
): void {
  const found = rootOf({ index, count: 1, size }, leavesOfInputs([input]), fromBase64(path) as Uint8Array)
  if (found !== undefined && toHex(found) === root) return
  throw new AlvariumError('PROOF_INVALID', 'proof.path: does not lead to the signed root')
}

/**
 * Returns whether an input is the expected one. Hashes an expected payload with the hash function of the
 * input.
 */
function isSame(input: Input, given: Uint8Array | Input): boolean {
  if ('set' in input) return !isBytes(given) && 'set' in given && given.set === input.set
  if (isBytes(given)) return keyIfAny(given, input.hash) === input.key
  return 'key' in given && given.hash === input.hash && given.key === input.key
}
