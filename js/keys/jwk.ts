import { describe } from '../base/errors.js'
import { secondName } from '../base/text/scan.js'
import { decodeBase64 } from './base64.js'
import { CURVES, type Curve } from './curves.js'
import { sec1Of, spkiOf } from './ec-der.js'
import { invalid, type KeyField, shownName } from './fault.js'
import { secretBytes, secretText } from './secret.js'

/**
 * A JSON Web Key: of type OKP and curve Ed25519 (RFC 8037 §2), or of type EC and curve P-256, secp256k1 (RFC 7518 §6.2, RFC
 * 8812) or SM2. Said here and not taken from the DOM's types, without which those would silently allow anything.
 */
export interface Jwk {
  readonly kty?: string
  readonly crv?: string
  /** The public key, or with EC its first coordinate: 32 bytes in base64url. */
  readonly x?: string
  /** With EC the public key's second coordinate: 32 bytes in base64url. */
  readonly y?: string
  /** The seed, or with EC the scalar: 32 bytes in base64url. */
  readonly d?: string
}

/** @throws AlvariumError `KEY_INVALID`, also if a member is there twice, as other programs may read the other one */
export function parseJwk(text: string, field: KeyField): Jwk {
  let jwk: Jwk
  try {
    jwk = JSON.parse(text)
  } catch {
    // The parser's own message quotes its input, which is a key.
    throw invalid(field, 'a JWK', 'text that is not JSON')
  }
  if (secondName(text) === undefined) return jwk
  throw invalid(field, 'a JWK with each member once', 'one of them twice')
}

/**
 * Seed and public key of 64 bytes, or a public key of 32; of another algorithm, DER.
 *
 * @throws AlvariumError `KEY_INVALID`
 */
export function fromJwk(jwk: Jwk, field: KeyField): Uint8Array<ArrayBuffer> {
  const { kty, crv, x, d } = jwk
  const curve = kty === 'EC' ? CURVES.find(({ name }) => name === crv) : undefined
  if (curve) return fromEc(curve, jwk, field)
  if (kty !== 'OKP' || crv !== 'Ed25519') {
    const expected = 'a JWK of kty OKP and crv Ed25519, or of kty EC and crv P-256, secp256k1 or SM2'
    throw invalid(field, expected, `${shownName(kty)} ${shownName(crv)}`)
  }
  if (field === 'verifyingKey') assertPublic(jwk)
  const bytes = secretBytes(field === 'signingKey' ? 64 : 32)
  try {
    if (field === 'signingKey') put(d, bytes.subarray(0, 32), field, 'd')
    put(x, bytes.subarray(-32), field, 'x')
    return bytes
  } catch (error) {
    bytes.fill(0)
    throw error
  }
}

/** A private key that is handed to those that verify is given away. */
function assertPublic({ d }: Jwk): void {
  if (d !== undefined) throw invalid('verifyingKey', 'a public key', 'a JWK with d, which is a private one')
}

function fromEc(curve: Curve, jwk: Jwk, field: KeyField): Uint8Array<ArrayBuffer> {
  const { x, y, d } = jwk
  const [scalar, point] = [secretBytes(32), new Uint8Array(65)]
  try {
    point[0] = 4
    put(x, point.subarray(1, 33), field, 'x')
    put(y, point.subarray(33), field, 'y')
    if (field === 'verifyingKey') {
      assertPublic(jwk)
      return spkiOf(curve, point)
    }
    put(d, scalar, field, 'd')
    return sec1Of(curve, scalar, point)
  } finally {
    scalar.fill(0)
  }
}

/** Decodes a member into its place. */
function put(value: unknown, place: Uint8Array, field: KeyField, member: string): void {
  if (typeof value !== 'string')
    throw invalid(field, `a JWK with ${member}`, `${describe(value)} for ${member}`)
  const text = secretText(value)
  // Some write the digits of plain base64.
  const bytes = decodeBase64(text, '-_') ?? decodeBase64(text, '+/')
  text.fill(0)
  if (!bytes) throw invalid(field, `base64url in ${member}`, 'other characters')
  if (bytes.length === 32) place.set(bytes)
  bytes.fill(0)
  if (bytes.length !== 32) throw invalid(field, `32 bytes in ${member}`, `${bytes.length}`)
}
