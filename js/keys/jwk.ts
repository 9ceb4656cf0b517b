import { describe } from '../base/errors.js'
import { decodeBase64 } from './base64.js'
import { invalid, type KeyField, shownName } from './fault.js'
import { secretBytes, secretText } from './secret.js'

/**
 * A JSON Web Key of type OKP and curve Ed25519 (RFC 8037 §2). Said here and not taken from the DOM's types, without
 * which those would silently allow anything.
 */
export interface Jwk {
  readonly kty?: string
  readonly crv?: string
  /** The public key: 32 bytes in base64url. */
  readonly x?: string
  /** The seed: 32 bytes in base64url. */
  readonly d?: string
}

/** @throws AlvariumError `KEY_INVALID` */
export function parseJwk(text: string, field: KeyField): Jwk {
  try {
    return JSON.parse(text) as Jwk
  } catch {
    // The parser's own message quotes its input, which is a key.
    throw invalid(field, 'a JWK', 'text that is not JSON')
  }
}

/**
 * Seed and public key of 64 bytes, or a public key of 32.
 *
 * @throws AlvariumError `KEY_INVALID`
 */
export function fromJwk({ kty, crv, x, d }: Jwk, field: KeyField): Uint8Array<ArrayBuffer> {
  if (kty !== 'OKP' || crv !== 'Ed25519') {
    throw invalid(field, 'a JWK of kty OKP and crv Ed25519', `${shownName(kty)} ${shownName(crv)}`)
  }
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
