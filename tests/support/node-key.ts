import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { concat } from './bytes.js'

/** SubjectPublicKeyInfo of Ed25519 up to the key (RFC 8410 §4). */
const ED25519_SPKI = Uint8Array.of(0x30, 0x2a, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 3, 0x21, 0)
/** PKCS#8 of Ed25519 up to the seed (RFC 8410 §7). */
const ED25519_PKCS8 = Uint8Array.of(0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20)

export function spkiOf(verifyingKey: Uint8Array): Uint8Array {
  return verifyingKey.length === 32 ? concat(ED25519_SPKI, verifyingKey) : verifyingKey
}

/** Returns a public key in the form of Node's own libraries. */
export function nodeKey(verifyingKey: Uint8Array): KeyObject {
  return createPublicKey({ key: Buffer.from(spkiOf(verifyingKey)), format: 'der', type: 'spki' })
}

/** Returns a private key in the form of Node's own libraries: seed and public key of Ed25519, or PKCS#8. */
export function nodePrivateKey(signingKey: Uint8Array): KeyObject {
  const isEd25519 = signingKey.length === 64
  const pkcs8 = isEd25519 ? concat(ED25519_PKCS8, signingKey.subarray(0, 32)) : signingKey
  return createPrivateKey({ key: Buffer.from(pkcs8), format: 'der', type: 'pkcs8' })
}
