// FORMAT.md's rules on signatures and keys ("Signatures at the edge"), by OpenSSL and noble, without the SDK's code.

import { createPublicKey, verify } from 'node:crypto'
import { decoded, numberOf, ORDER, times } from './curve.mjs'

const NEUTRAL = Buffer.alloc(32).fill(1, 0, 1)

/** @param {Uint8Array} publicKey @returns {import('node:crypto').KeyObject} */
export const opensslKey = (publicKey) =>
  createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(publicKey).toString('base64url') },
    format: 'jwk',
  })

/**
 * Returns whether S is below ℓ, R is not the neutral point, and R's bytes are those of [S]B − [k]A. OpenSSL compares
 * the last.
 *
 * @param {import('node:crypto').KeyObject} key a good key, see {@link isGoodKey}
 * @param {Uint8Array} message @param {Uint8Array} signature
 */
export function isGenuine(key, message, signature) {
  if (numberOf(signature.subarray(32)) >= ORDER) return false
  if (NEUTRAL.equals(signature.subarray(0, 32))) return false
  return verify(null, message, key, signature)
}

/** Returns whether a key is canonical and of order ℓ. @param {Uint8Array} publicKey */
export function isGoodKey(publicKey) {
  const point = decoded(publicKey)
  if (!point || !Buffer.from(point.toBytes()).equals(publicKey)) return false
  return !point.is0() && times(point, ORDER).is0()
}
