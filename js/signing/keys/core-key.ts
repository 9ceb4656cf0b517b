import { borrow, type CoreObject, hold, SigningKey, withCore } from '../../foundation/core/core.js'
import { isEc } from './ec/der.js'
import { invalid } from './fault.js'
import { withSigningBytes } from './forms/key-bytes.js'
import type { SigningKeyInput } from './key-pair.js'
import { assertStack } from './secret.js'
import type { PublicKey } from './verifying.js'

/** @internal Returns the public key that belongs to a private key. */
export function publicHalf(key: SigningKey): PublicKey {
  return borrow(
    () => key.verifyingKey(),
    (half) => ({ bytes: half.toBytes(), keyId: half.id() }),
  )
}

/** @internal Reads a private key into the core. `release` wipes the key, and `wipeStack` its copies on the stack. */
export function openSigningKey(input: SigningKeyInput): CoreObject<SigningKey> {
  assertStack()
  return withSigningBytes(input, readSigningKey)
}

/** @internal Reads a private key that is not in a text container (PEM, JWK, OpenSSH) into the core: for workers. */
export function readSigningKey(bytes: Uint8Array): CoreObject<SigningKey> {
  assertStack()
  try {
    if (isEc(bytes)) throw invalid('signingKey', 'an Ed25519 key', 'a key of another algorithm')
    return hold(() => SigningKey.read(bytes))
  } finally {
    wipeStack()
  }
}

/** @internal Overwrites data of private keys that earlier calls have left on the core's stack. */
export function wipeStack(): void {
  withCore((core) => core.wipeStack())
}
