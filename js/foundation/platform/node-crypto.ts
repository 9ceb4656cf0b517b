import type { Buffer } from 'node:buffer'
import type { createHash, createPrivateKey, createPublicKey, hash, sign, verify } from 'node:crypto'
import type { HostSignatures, Platform } from './platform.js'

interface NodeCrypto {
  readonly createPrivateKey: typeof createPrivateKey
  readonly createPublicKey: typeof createPublicKey
  readonly sign: typeof sign
  readonly verify: typeof verify
}

/** Encoding of ECDSA signatures: r ‖ s. Ed25519 has only one encoding, and ignores this option. */
const dsaEncoding = 'ieee-p1363'

/** Returns OpenSSL's signature functions. Node's modules are parameters, because pool workers cannot import them. */
export function signaturesOf(crypto: NodeCrypto, memory: { Buffer: typeof Buffer }): HostSignatures {
  const der = (bytes: Uint8Array) => memory.Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const hashFor = (type: string | undefined) => (type === 'ed25519' ? null : 'sha256')
  return {
    openSigner: (pkcs8) => {
      const key = crypto.createPrivateKey({ key: der(pkcs8), format: 'der', type: 'pkcs8' })
      const hash = hashFor(key.asymmetricKeyType)
      return {
        publicKey: crypto.createPublicKey(key).export({ format: 'der', type: 'spki' }),
        sign: (bytes) => new Uint8Array(crypto.sign(hash, bytes, { key, dsaEncoding })),
      }
    },
    openVerifier: (spki) => {
      const key = crypto.createPublicKey({ key: der(spki), format: 'der', type: 'spki' })
      const hash = hashFor(key.asymmetricKeyType)
      return (bytes, signature) => crypto.verify(hash, bytes, { key, dsaEncoding }, signature)
    },
  }
}

/**
 * Returns OpenSSL's SHA-256, which uses the processor's SHA instructions. Node's modules are parameters, because the
 * file of a pool's workers runs everywhere and cannot import them.
 */
export function sha256Of(
  // `hash` is optional, because some supported runtimes lack it.
  crypto: { createHash: typeof createHash; hash?: typeof hash },
  memory: { Buffer: typeof Buffer },
): NonNullable<Platform['hostSha256']> {
  return (payload) =>
    // Request a string, because allocating a buffer takes half a microsecond more.
    crypto.hash
      ? memory.Buffer.from(crypto.hash('sha256', payload, 'binary'), 'binary')
      : crypto.createHash('sha256').update(payload).digest()
}
