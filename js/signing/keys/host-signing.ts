import { withAlgorithms } from '../../foundation/algorithms/algorithms.js'
import { fourBits } from '../../foundation/base/bytes/hex.js'
import { isSame } from '../../foundation/base/bytes/same.js'
import { AlvariumError, expected } from '../../foundation/base/errors.js'
import type { HostSigner } from '../../foundation/platform/platform.js'
import { publicHalf, readSigningKey, wipeStack } from './core-key.js'
import { isEc } from './ec/der.js'
import { readEc, WIPED_KEY } from './ec/signing-key.js'
import { withSigningBytes } from './forms/key-bytes.js'
import { fromSeed } from './forms/seed.js'
import { callPlatform, type HostKey, hostSignatures, hostSpki } from './host-verifier.js'
import type { SigningKeyInput } from './key-pair.js'
import { trimBytes } from './secret.js'

/** A private key in PKCS#8, the form that platforms read, and its public key. */
export interface PortableKey {
  /** The private key in PKCS#8, which the caller wipes. */
  readonly pkcs8: Uint8Array<ArrayBuffer>
  readonly publicKey: HostKey
  readonly keyId: string
}

/**
 * Converts a private key that is not in a text container (PEM, JWK, OpenSSH) for the platform. The core checks the key
 * first, so that the same keys are refused with and without the platform.
 *
 * @throws AlvariumError `KEY_INVALID`; `CONFIG_INVALID` for an EC key on another curve than P-256; the errors of
 * `withAlgorithms`
 */
export function portableKey(bytes: Uint8Array): PortableKey {
  return isEc(bytes) ? portableEc(bytes) : portableEd25519(bytes)
}

function portableEc(bytes: Uint8Array): PortableKey {
  const key = readEc(bytes)
  try {
    const { publicKey, keyId } = key
    hostSpki(publicKey)
    return { pkcs8: key.toPkcs8(), publicKey, keyId }
  } finally {
    key.free()
  }
}

function portableEd25519(bytes: Uint8Array): PortableKey {
  const key = readSigningKey(bytes)
  try {
    const { bytes: publicKey, keyId } = publicHalf(key.object)
    return { pkcs8: fromSeed({ seed: seedIn(bytes) }), publicKey, keyId }
  } finally {
    key.release()
    wipeStack()
  }
}

/** Position of the seed in both versions of PKCS#8 (RFC 8410 §7). */
const SEED_AT = 16

/** Returns the seed of a key that the core has accepted: 32 bytes, or 64 hexadecimal digits. */
function seedIn(bytes: Uint8Array): Uint8Array {
  if (bytes.length === 64) return bytes.subarray(0, 32)
  const text = trimBytes(bytes)
  // The third byte of DER is the tag of the version, which is not a hexadecimal digit.
  const isText = fourBits(text[2] as number) >= 0
  return isText ? text.subarray(0, 64) : bytes.subarray(SEED_AT, SEED_AT + 32)
}

/** A private key that the platform has opened. The platform keeps a copy until the key is no longer referenced. */
export class HostSigningKey {
  readonly keyId: string
  readonly publicKey: HostKey
  #signer: HostSigner | undefined

  /**
   * Opens a private key in the platform, and wipes its PKCS#8.
   *
   * @throws AlvariumError `CONFIG_INVALID` where the platform cannot sign, `CORE_UNAVAILABLE` when its code fails
   */
  constructor({ pkcs8, publicKey, keyId }: PortableKey) {
    this.keyId = keyId
    this.publicKey = publicKey
    try {
      const signatures = hostSignatures()
      const signer = callPlatform(() => signatures.openSigner(pkcs8))
      if (!isSame(signer.publicKey, hostSpki(publicKey))) {
        throw expected(
          'CORE_UNAVAILABLE',
          'engine',
          'the same public key from the platform as from the core',
          'another public key',
        )
      }
      this.#signer = signer
    } finally {
      pkcs8.fill(0)
    }
  }

  /** The public key if its algorithm is Ed25519: 32 bytes. */
  get ed25519(): Uint8Array | undefined {
    return this.publicKey instanceof Uint8Array ? this.publicKey : undefined
  }

  /**
   * Signs bytes, and returns a signature of 64 bytes. An ECDSA signature has the lower s.
   *
   * @throws AlvariumError `SIGNER_FAILED` when the key has been wiped, `CORE_UNAVAILABLE` when the platform fails
   */
  sign(bytes: Uint8Array): Uint8Array {
    const { publicKey } = this
    const signer = this.#signer
    if (!signer) throw new AlvariumError('SIGNER_FAILED', WIPED_KEY)
    const signature = callPlatform(() => signer.sign(bytes))
    if (publicKey instanceof Uint8Array) return signature
    return withAlgorithms((algorithms) => algorithms.canonical(publicKey.number, signature)) as Uint8Array
  }

  /** Drops the reference to the platform's copy of the key. */
  free(): void {
    this.#signer = undefined
  }
}

export function openHostKey(input: SigningKeyInput): HostSigningKey {
  return withSigningBytes(input, (bytes) => new HostSigningKey(portableKey(bytes)))
}
