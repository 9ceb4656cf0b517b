import { createPublicKey, type KeyObject } from 'node:crypto'
import { concat } from './bytes.js'

/** SubjectPublicKeyInfo of Ed25519 up to the key (RFC 8410 §4). */
const ED25519_SPKI = Uint8Array.of(0x30, 0x2a, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 3, 0x21, 0)

/** Returns a public key as SubjectPublicKeyInfo in DER. */
export function spkiOf(verifyingKey: Uint8Array): Uint8Array {
  return verifyingKey.length === 32 ? concat(ED25519_SPKI, verifyingKey) : verifyingKey
}

/** Returns a public key as Node's own libraries take it. */
export function nodeKey(verifyingKey: Uint8Array): KeyObject {
  return createPublicKey({ key: Buffer.from(spkiOf(verifyingKey)), format: 'der', type: 'spki' })
}
