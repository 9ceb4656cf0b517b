// Converts key files of the Alvarium SDKs to key objects of `node:crypto`.

import { createPrivateKey } from 'node:crypto'

/**
 * Makes a key object from a JWK (RFC 8037). OpenSSL's PKCS#8 decoder takes five to ten times as long, which
 * would be unfair to a baseline that reads its key for every signature.
 *
 * @param {Uint8Array} signingKey seed ‖ public key, 64 bytes
 * @returns {import('node:crypto').KeyObject}
 */
export function keyObject(signingKey) {
  const d = base64url(signingKey.subarray(0, 32))
  const x = base64url(signingKey.subarray(32))
  return createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', d, x }, format: 'jwk' })
}

/** @param {Uint8Array} bytes */
function base64url(bytes) {
  return Buffer.from(bytes).toString('base64url')
}

/**
 * @param {string} text the contents of a `private.key`
 * @returns {Buffer} seed ‖ public key, 64 bytes
 */
export function fromKeyFile(text) {
  return Buffer.from(text.trim(), 'hex')
}
