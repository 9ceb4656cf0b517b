import { withAlgorithms } from '../../foundation/algorithms/algorithms.js'
import { loadAlgorithms } from '../../foundation/algorithms/load-algorithms.js'
import { hold, withCore } from '../../foundation/core/core.js'
import type { EcKey } from '../../foundation/model/algorithm.js'
import { isEc } from './ec/der.js'
import { ecKeyIn, ecVerifies } from './ec/public-key.js'
import { invalid } from './fault.js'
import { keyBytes } from './forms/key-bytes.js'
import type { VerifyingKeyInput } from './verifying.js'

export interface SignatureCheck {
  readonly keyId: string
  /** The public key if its algorithm is Ed25519: 32 bytes. */
  readonly ed25519?: Uint8Array
  /** Expected form of a signature, for error messages. */
  readonly expected: string
  /**
   * Returns the signature in its canonical encoding, 64 bytes. Returns undefined if it does not verify.
   *
   * @throws RangeError for bytes that do not have the form of a signature
   */
  canonicalIfValid(bytes: Uint8Array, signature: Uint8Array): Uint8Array | undefined
  free(): void
}

export async function openCheck(input: VerifyingKeyInput): Promise<SignatureCheck> {
  const bytes = keyBytes(input, 'verifyingKey')
  const other = ecKeyIn(bytes)
  if (!other) return checkOfCore(bytes)
  await loadAlgorithms()
  return checkOfEc(other)
}

export function openEd25519Check(input: VerifyingKeyInput): SignatureCheck {
  const bytes = keyBytes(input, 'verifyingKey')
  if (isEc(bytes)) throw invalid('verifyingKey', 'an Ed25519 key', 'a key of another algorithm')
  return checkOfCore(bytes)
}

function checkOfCore(bytes: Uint8Array): SignatureCheck {
  const key = hold((core) => core.VerifyingKey.read(bytes))
  return {
    keyId: withCore(() => key.object.id()),
    ed25519: withCore(() => key.object.toBytes()),
    expected: '64 bytes',
    canonicalIfValid: (bytes, signature) => {
      if (signature.length !== 64) throw new RangeError(`${signature.length} bytes`)
      return withCore(() => key.object.verifies(bytes, signature)) ? signature : undefined
    },
    free: () => key.release(),
  }
}

function checkOfEc(key: Required<EcKey>): SignatureCheck {
  return {
    keyId: key.keyId,
    expected: `${key.algorithm}, r and s in 64 bytes or DER,`,
    canonicalIfValid: (bytes, signature) => {
      const canonical = withAlgorithms((algorithms) => algorithms.canonical(key.number, signature))
      if (!canonical) throw new RangeError(`${signature.length} bytes that are no signature`)
      return ecVerifies(key, bytes, canonical) ? canonical : undefined
    },
    free: () => {},
  }
}
