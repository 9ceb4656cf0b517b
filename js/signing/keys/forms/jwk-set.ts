import { invalid } from '../fault.js'
import { algorithmsOf, curveOfJwk, isAlgorithmOf, type Jwk } from './jwk.js'

/** A JSON Web Key Set (RFC 7517 §5), as issuers publish it. */
export interface JwkSet {
  readonly keys: readonly Jwk[]
}

export function isJwkSet(value: unknown): value is JwkSet {
  return Array.isArray((Object(value) as { keys?: unknown }).keys)
}

/**
 * Lists the keys for signatures in a JSON Web Key Set, and skips other keys (RFC 7517 §5).
 *
 * @throws AlvariumError `KEY_INVALID` if the set has no key for signatures
 */
export function signatureKeysOf({ keys }: JwkSet): readonly Jwk[] {
  const usable = keys.filter(isSignatureKey)
  if (usable.length > 0) return usable
  const expected = 'a JSON Web Key Set with a signature key (kty OKP with crv Ed25519, or kty EC)'
  throw invalid('verifyingKey', expected, `${keys.length} other keys`)
}

/** Returns whether a value is a JWK of a known type that may verify signatures, by `use` and `key_ops`. */
export function isForSignatures(key: unknown): key is Jwk {
  const jwk = Object(key) as Jwk
  const { kty, crv, use, key_ops: operations } = jwk
  const isKnown = curveOfJwk(jwk) !== undefined || (kty === 'OKP' && crv === 'Ed25519')
  const isForVerifying = !Array.isArray(operations) || operations.includes('verify')
  return isKnown && (use === undefined || use === 'sig') && isForVerifying
}

/** Returns whether a value is a JWK for signatures, without an `alg` for encryption or for another type of key. */
export function isSignatureKey(key: unknown): key is Jwk {
  if (!isForSignatures(key)) return false
  const { alg } = key
  return alg === undefined || isAlgorithmOf(algorithmsOf(key), alg)
}
