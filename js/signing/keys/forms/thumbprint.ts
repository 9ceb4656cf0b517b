import { toBase64 } from '../../../foundation/base/bytes/base64.js'
import { withCore } from '../../../foundation/core/core.js'
import { ecKeyIn } from '../ec/public-key.js'
import { type VerifyingKeyInput, withPublicKey } from '../verifying.js'
import { keyBytes } from './key-bytes.js'

/** Members of a public JSON Web Key that RFC 7638 §3.2 hashes, in the lexicographic order that it requires. */
export type PublicJwk = Readonly<Record<'crv' | 'kty' | 'x', string>> & { readonly y?: string }

export function publicJwkOf(verifyingKey: VerifyingKeyInput): PublicJwk {
  const bytes = keyBytes(verifyingKey, 'verifyingKey')
  const other = ecKeyIn(bytes)
  if (!other)
    return { crv: 'Ed25519', kty: 'OKP', x: base64url(withPublicKey(bytes, (key) => key.toBytes())) }
  const [x, y] = [other.point.subarray(1, 33), other.point.subarray(33)]
  return { crv: other.algorithm, kty: 'EC', x: base64url(x), y: base64url(y) }
}

/**
 * Computes the thumbprint of a public key: the SHA-256 of its JSON Web Key (RFC 7638 §3; RFC 8037, A.3), as
 * 43 characters of base64url. Web Bot Auth identifies keys by their thumbprint, and a `kid` can be a
 * thumbprint.
 *
 * @throws AlvariumError `KEY_INVALID` for an invalid key
 *
 * @example
 * ```ts
 * const { verifyingKey } = generateKey()
 * const keys = { [jwkThumbprint(verifyingKey)]: verifyingKey }
 * ```
 */
export function jwkThumbprint(verifyingKey: VerifyingKeyInput): string {
  const json = new TextEncoder().encode(JSON.stringify(publicJwkOf(verifyingKey)))
  return base64url(withCore((core) => core.sha256Many(json, Uint32Array.of(json.length))))
}

function base64url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
