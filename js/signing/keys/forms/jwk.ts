import { describe } from '../../../foundation/base/errors.js'
import { findRepeatedName } from '../../../foundation/base/text/scan.js'
import { CURVES, type Curve } from '../ec/curves.js'
import { sec1Of, spkiOf } from '../ec/der.js'
import { invalid, type KeyField, shownName } from '../fault.js'
import { secretBytes, secretText } from '../secret.js'
import { decodeBase64 } from './base64.js'

/**
 * A JSON Web Key of type OKP with curve Ed25519 (RFC 8037 §2), or of type EC with curve P-256, secp256k1 (RFC 7518
 * §6.2, RFC 8812) or SM2. It is declared here, because in programs without the DOM's types a type of the DOM would
 * become `any`.
 */
export interface Jwk {
  readonly kty?: string
  readonly crv?: string
  /** Ed25519 public key, or first coordinate of an EC public key: 32 bytes in base64url. */
  readonly x?: string
  /** Second coordinate of an EC public key: 32 bytes in base64url. */
  readonly y?: string
  /** Ed25519 seed, or scalar of an EC private key: 32 bytes in base64url. */
  readonly d?: string
  /** Use of the key (RFC 7517 §4.2). If present, it must be `'sig'`. */
  readonly use?: string
  /** Operations of the key (RFC 7517 §4.3). If present, they must include `'verify'` or `'sign'`. */
  readonly key_ops?: readonly string[]
  /** Algorithm of the key, if present: `EdDSA`, `Ed25519`, `ES256` or `ES256K` (RFC 7518 §3.1, RFC 8812, RFC 9864). */
  readonly alg?: string
}

const PADDING = 0x3d

/** Parses a JWK. @throws AlvariumError `KEY_INVALID`, also for a member that occurs twice */
export function parseJwk(text: string, field: KeyField): Jwk {
  let jwk: Jwk
  try {
    jwk = JSON.parse(text)
  } catch {
    // Omit the error of `JSON.parse`, because it quotes its input, which is a key.
    throw invalid(field, 'a JWK', 'text that is not JSON')
  }
  if (findRepeatedName(text) === undefined) return jwk
  throw invalid(field, 'a JWK with each member once', 'a JWK with a repeated member')
}

/**
 * Reads a JSON Web Key. For Ed25519, returns the seed and the public key in 64 bytes, or a public key in 32
 * bytes. For other algorithms, returns DER.
 */
export function fromJwk(jwk: Jwk, field: KeyField): Uint8Array<ArrayBuffer> {
  const { kty, crv, x, d } = jwk
  const curve = curveOfJwk(jwk)
  if (curve) return fromEc(curve, jwk, field)
  if (kty !== 'OKP' || crv !== 'Ed25519') {
    const expected = 'a JWK of kty OKP and crv Ed25519, or of kty EC and crv P-256, secp256k1 or SM2'
    throw invalid(field, expected, `${shownName(kty)} ${shownName(crv)}`)
  }
  if (field === 'verifyingKey') assertPublic(jwk)
  assertForSignatures(jwk, field)
  const bytes = secretBytes(field === 'signingKey' ? 64 : 32)
  try {
    if (field === 'signingKey') decodeInto(d, bytes.subarray(0, 32), field, 'd')
    decodeInto(x, bytes.subarray(-32), field, 'x')
    return bytes
  } catch (error) {
    bytes.fill(0)
    throw error
  }
}

/** Returns the curve of an EC key. Azure Key Vault writes `EC-HSM` for hardware, and `P-256K` for secp256k1. */
export function curveOfJwk({ kty, crv }: Jwk): Curve | undefined {
  if (kty !== 'EC' && kty !== 'EC-HSM') return undefined
  return CURVES.find(({ name }) => name === (crv === 'P-256K' ? 'secp256k1' : crv))
}

const ED25519_ALGORITHMS = ['EdDSA', 'Ed25519']
const EC_ALGORITHMS: Partial<Record<Curve['name'], readonly string[]>> = {
  'P-256': ['ES256'],
  secp256k1: ['ES256K'],
}

/** Lists the values of `alg` that match a key. Returns undefined for SM2, for which no standard defines a value. */
export function algorithmsOf(jwk: Jwk): readonly string[] | undefined {
  const curve = curveOfJwk(jwk)
  return curve ? EC_ALGORITHMS[curve.name] : ED25519_ALGORITHMS
}

/** Pattern of `alg` values for encryption. EC keys can be used for encryption too (RFC 7518 §4.6). */
const ENCRYPTION = /^(?:ECDH|HPKE)/

export function isAlgorithmOf(algorithms: readonly string[] | undefined, alg: unknown): boolean {
  return typeof alg === 'string' && (algorithms ? algorithms.includes(alg) : !ENCRYPTION.test(alg))
}

/** Refuses a key with a purpose other than signatures, because its owner may use it for encryption. */
function assertForSignatures(jwk: Jwk, field: KeyField): void {
  const algorithms = algorithmsOf(jwk)
  const { use, alg, key_ops: operations } = jwk
  const operation = field === 'signingKey' ? 'sign' : 'verify'
  if (use !== undefined && use !== 'sig') {
    throw invalid(field, "a JWK with use 'sig', or without use", shownName(use))
  }
  if (operations !== undefined && !(Array.isArray(operations) && operations.includes(operation))) {
    throw invalid(field, `a JWK with '${operation}' in key_ops, or without key_ops`, 'other key_ops')
  }
  if (alg !== undefined && !isAlgorithmOf(algorithms, alg)) {
    const names = algorithms?.join(' or ') ?? 'for signatures'
    throw invalid(field, `a JWK with alg ${names}, or without alg`, shownName(alg))
  }
}

/** Refuses a private key in place of a public one, because verifiers would receive the private key. */
function assertPublic({ d }: Jwk): void {
  if (d !== undefined) throw invalid('verifyingKey', 'a public key', 'a private key (a JWK with d)')
}

function fromEc(curve: Curve, jwk: Jwk, field: KeyField): Uint8Array<ArrayBuffer> {
  const { x, y, d } = jwk
  if (field === 'verifyingKey') assertPublic(jwk)
  assertForSignatures(jwk, field)
  const [scalar, point] = [secretBytes(32), new Uint8Array(65)]
  try {
    point[0] = 4
    decodeInto(x, point.subarray(1, 33), field, 'x')
    decodeInto(y, point.subarray(33), field, 'y')
    if (field === 'verifyingKey') return spkiOf(curve, point)
    decodeInto(d, scalar, field, 'd')
    return sec1Of(curve, scalar, point)
  } finally {
    scalar.fill(0)
  }
}

function decodeInto(value: unknown, place: Uint8Array, field: KeyField, member: string): void {
  if (typeof value !== 'string')
    throw invalid(field, `a JWK with ${member}`, `${describe(value)} for ${member}`)
  const text = secretText(value)
  // Accept the digits of plain base64, which some programs write, but no padding, which RFC 7515 §2 forbids.
  const bytes = text.includes(PADDING) ? undefined : (decodeBase64(text, '-_') ?? decodeBase64(text, '+/'))
  text.fill(0)
  if (!bytes) throw invalid(field, `base64url in ${member}`, 'other characters')
  if (bytes.length === 32) place.set(bytes)
  bytes.fill(0)
  if (bytes.length !== 32) throw invalid(field, `32 bytes in ${member}`, `${bytes.length}`)
}
