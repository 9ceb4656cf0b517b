import { expected } from '../../foundation/base/errors.js'
import { withSigningBytes } from './forms/key-bytes.js'
import { portableKey } from './host-signing.js'
import { hostSpki } from './host-verifier.js'
import type { SigningKeyInput } from './key-pair.js'
import { type Signer, webCryptoSign } from './signer.js'

/**
 * Imports a private Ed25519 or P-256 key into WebCrypto as non-extractable, and returns a signer with that key.
 *
 * @throws AlvariumError `KEY_INVALID`; `CONFIG_INVALID` for another algorithm; `CORE_UNAVAILABLE` where WebCrypto has
 * no Ed25519; for a P-256 key also the errors of `withAlgorithms`
 */
export async function webSigner(input: SigningKeyInput): Promise<Signer> {
  const { pkcs8, publicKey } = withSigningBytes(input, portableKey)
  const isEd25519 = publicKey instanceof Uint8Array
  const algorithm = isEd25519 ? { name: 'Ed25519' } : { name: 'ECDSA', namedCurve: 'P-256' }
  try {
    const key = await crypto.subtle.importKey('pkcs8', pkcs8, algorithm, false, ['sign'])
    return { verifyingKey: hostSpki(publicKey), sign: webCryptoSign(key) }
  } catch (cause) {
    throw expected('CORE_UNAVAILABLE', 'engine', `WebCrypto to have ${algorithm.name}`, undefined, cause)
  } finally {
    pkcs8.fill(0)
  }
}
