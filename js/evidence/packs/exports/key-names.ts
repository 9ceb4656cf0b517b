import { toBase64 } from '../../../foundation/base/bytes/base64.js'
import { toBytes } from '../../../foundation/base/bytes/hex.js'
import { join } from '../../../foundation/base/bytes/join.js'
import { u32, withLength } from '../../../foundation/base/bytes/prefixed.js'
import { digestOf } from '../../../foundation/core/hashing.js'
import { fromSpki } from '../../../signing/keys/ec/der.js'

// Computes the key ids of other tools, from the 32 bytes of an Ed25519 key or the SubjectPublicKeyInfo of a P-256 key.

/** First bytes of a SubjectPublicKeyInfo of Ed25519. The 32 bytes of the key follow (RFC 8410 §4). */
const ED25519_SPKI = Uint8Array.of(0x30, 0x2a, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 3, 0x21, 0)

/** Returns the key hint of sigstore-go and cosign: SHA-256 of the SubjectPublicKeyInfo, in base64. */
export function spkiHint(publicKey: Uint8Array): string {
  return toBase64(sha256(publicKey.length === 32 ? join([ED25519_SPKI, publicKey]).bytes : publicKey))
}

/** Returns the key hint of model_signing: SHA-256 of the PEM of a P-256 public key, in hexadecimal. */
export function pemHint(spki: Uint8Array): string {
  const lines = toBase64(spki).match(/.{1,64}/g) as string[]
  const pem = ['-----BEGIN PUBLIC KEY-----', ...lines, '-----END PUBLIC KEY-----', ''].join('\n')
  return digestOf(new TextEncoder().encode(pem))
}

/**
 * Returns the fingerprint that `ssh-keygen -l` shows: `SHA256:…`. cosign skips a signature under any other
 * key id (go-securesystemslib, SHA256KeyID in dsse/verify.go).
 */
export function sshFingerprint(publicKey: Uint8Array): string {
  return `SHA256:${toBase64(sha256(join(sshFields(publicKey)).bytes)).replace(/=+$/, '')}`
}

/** Returns the fields of an SSH public key (RFC 8709 §4, RFC 5656 §3.1). */
function sshFields(publicKey: Uint8Array): Uint8Array[] {
  const ec = fromSpki(publicKey)
  if (!ec) return [withLength('ssh-ed25519'), u32(publicKey.length), publicKey]
  return [withLength('ecdsa-sha2-nistp256'), withLength('nistp256'), u32(ec.point.length), ec.point]
}

function sha256(bytes: Uint8Array): Uint8Array {
  return toBytes(digestOf(bytes)) as Uint8Array
}
