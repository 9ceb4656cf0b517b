import { loadAlgorithms } from '../../foundation/algorithms/load-algorithms.js'
import { toBytes } from '../../foundation/base/bytes/hex.js'
import { assertNames } from '../../foundation/base/options/names.js'
import { stringCount } from '../../foundation/base/text/scan.js'
import { exactText, isWellFormed } from '../../foundation/base/text/text.js'
import type { EcKey } from '../../foundation/model/algorithm.js'
import { ecVerifies } from '../keys/ec/public-key.js'
import { Keyring } from '../keys/keyring.js'
import type { VerifyingKeyInput } from '../keys/verifying.js'
import type { PayloadAnnotator } from './annotator.js'

/** Options of `pki`: the public key that verifies the payload's signature. */
export interface PkiOptions {
  readonly verifyingKey: VerifyingKeyInput
}

/**
 * Creates the annotator `pki`: the payload contains a valid signature. The payload must be the JSON object `{ "seed":
 * text, "signature": hex }`, the `Signable` of the other SDKs, with a signature by `verifyingKey` over the seed in
 * UTF-8. The answer is false for every other payload: nobody signed further members, and readers differ in which value
 * of a repeated member they use.
 *
 * @throws AlvariumError `KEY_INVALID` for an invalid key, and `CONFIG_INVALID` for an option that does not exist
 *
 * @example
 * ```ts
 * const seed = 'reading 7'
 * const signature = toHex(signBytes(signingKey, new TextEncoder().encode(seed)))
 * await sdk.create(new TextEncoder().encode(JSON.stringify({ seed, signature })))
 * ```
 */
export function pki(options: PkiOptions): PayloadAnnotator<'pki'> {
  assertNames(options, ['verifyingKey'], 'pki.')
  const { verifyingKey } = options
  // Read the key now, to report an invalid key at once, and to ignore later changes of the caller's buffer.
  const keyring = new Keyring([verifyingKey])
  const [other] = keyring.ecKeys
  if (!other) {
    const [keyId = ''] = keyring.keyIds
    return {
      kind: 'pki',
      needs: 'payload',
      isSatisfied: ({ payload }) => {
        const signed = signatureIn(payload)
        return signed !== undefined && keyring.use((verifier) => verifier.verifies(keyId, ...signed))
      },
    }
  }
  return {
    kind: 'pki',
    needs: 'payload',
    isSatisfied: async ({ payload }) => {
      // Read the payload before the first `await`, because it may change later.
      const signed = signatureIn(payload)
      await loadAlgorithms()
      return signed !== undefined && ecVerifies(other as Required<EcKey>, ...signed)
    },
  }
}

function signatureIn(payload: Uint8Array): readonly [seed: Uint8Array, signature: Uint8Array] | undefined {
  const { seed, signature } = parse(payload)
  if (typeof seed !== 'string' || typeof signature !== 'string' || !isWellFormed(seed)) return undefined
  const bytes = toBytes(signature)
  return bytes && [new TextEncoder().encode(seed), bytes]
}

/** Number of strings in a `Signable`: two names and two values. */
const SIGNABLE_STRINGS = 4

/** Parses a `Signable`. It rejects a byte order mark and bytes that are not UTF-8. */
function parse(payload: Uint8Array): { seed?: unknown; signature?: unknown } {
  try {
    const text = exactText(payload)
    // Count the strings before parsing, so that a long payload with more than four strings is not parsed.
    return stringCount(text, SIGNABLE_STRINGS + 1) === SIGNABLE_STRINGS ? Object(JSON.parse(text)) : {}
  } catch {
    return {}
  }
}
