import { AlvariumError, describe } from '../base/errors.js'

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

/** Which key is being read, for error messages. */
export type KeyField = 'signingKey' | 'verifyingKey'

const PEM = /^-----BEGIN ([A-Z ]+)-----([^-]+)-----END \1-----$/
/** What every key in DER begins with. */
const DER_SEQUENCE = 0x30
const PEM_LABEL = { signingKey: 'PRIVATE KEY', verifyingKey: 'PUBLIC KEY' } as const

/**
 * Opens the text containers of keys, PEM (RFC 7468) and JWK (RFC 8037); the core reads what is inside, and
 * hexadecimal. Containers stay out of the core because text parsers would double its size.
 *
 * @returns `input` itself when it is bytes that are no text container, else bytes of our own, to be wiped
 * @throws AlvariumError `KEY_INVALID`, which never quotes the key
 */
export function keyBytes(input: unknown, field: KeyField): Uint8Array {
  if (input instanceof Uint8Array) return fromBytes(input, field)
  if (typeof input === 'string') return fromText(input.trim(), field) ?? hexDigits(input.trim(), field)
  if (typeof input === 'object' && input !== null && 'kty' in input) return fromJwk(input as Jwk, field)
  const isPair = typeof input === 'object' && input !== null && field in input
  throw invalid(field, 'bytes, text or a JWK', isPair ? `a key pair: pass its ${field}` : describe(input))
}

/** What PEM, JWK and the white space before them begin with. DER begins with none of these. */
const CONTAINER_STARTS = [...'-{ \t\r\n'].map((character) => character.charCodeAt(0))

function fromBytes(bytes: Uint8Array, field: KeyField): Uint8Array {
  const isContainer = bytes.length > 64 && CONTAINER_STARTS.includes(bytes[0] as number)
  return (isContainer && fromText(new TextDecoder().decode(bytes).trim(), field)) || bytes
}

/** Text is never the key itself: a passphrase of 32 characters would make a fine seed, for everybody to guess. */
function hexDigits(text: string, field: KeyField): Uint8Array {
  const at = text.search(/[^0-9a-f]/i)
  if (at >= 0) {
    throw invalid(
      field,
      'hexadecimal digits, PEM or a JWK',
      `something else at position ${at} (a path? use readKey)`,
    )
  }
  return new TextEncoder().encode(text)
}

function fromText(text: string, field: KeyField): Uint8Array | undefined {
  if (text.startsWith('-----BEGIN')) return fromPem(text, field)
  if (text.startsWith('{')) return fromJwk(parseJwk(text, field), field)
  return undefined
}

function fromPem(text: string, field: KeyField): Uint8Array {
  const [, label, body] = PEM.exec(text) ?? []
  const expected = `PEM labelled ${PEM_LABEL[field]}`
  if (label === undefined || body === undefined)
    throw invalid(field, expected, 'PEM that does not end as it begins')
  if (label !== PEM_LABEL[field]) throw invalid(field, expected, label)
  const der = fromBase64(body.replace(/\s/g, ''), field, 'the PEM body')
  if (der[0] !== DER_SEQUENCE) throw invalid(field, `${expected} with DER inside`, 'something else inside')
  return der
}

function parseJwk(text: string, field: KeyField): Jwk {
  try {
    return JSON.parse(text) as Jwk
  } catch {
    // The parser's own message quotes its input, which is a key.
    throw invalid(field, 'a JWK', 'text that is not JSON')
  }
}

function fromJwk({ kty, crv, x, d }: Jwk, field: KeyField): Uint8Array {
  if (kty !== 'OKP' || crv !== 'Ed25519')
    throw invalid(field, 'a JWK of kty OKP and crv Ed25519', `${kty} ${crv}`)
  const parts = field === 'signingKey' ? { x, d } : { x }
  const decoded = Object.entries(parts).map(([member, value]) => fromBase64Url(value, field, member))
  const bytes = new Uint8Array(32 * decoded.length)
  decoded.reverse().forEach((part, at) => {
    bytes.set(part, 32 * at)
    part.fill(0)
  })
  return bytes
}

function fromBase64Url(text: unknown, field: KeyField, member: string): Uint8Array {
  if (typeof text !== 'string')
    throw invalid(field, `a JWK with ${member}`, `${describe(text)} for ${member}`)
  const bytes = fromBase64(text.replaceAll('-', '+').replaceAll('_', '/'), field, member)
  if (bytes.length !== 32) throw invalid(field, `32 bytes in ${member}`, `${bytes.length}`)
  return bytes
}

function fromBase64(text: string, field: KeyField, place: string): Uint8Array {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    throw invalid(field, `base64 in ${place}`, 'other characters')
  }
}

function invalid(field: KeyField, expected: string, got: string): AlvariumError {
  return new AlvariumError('KEY_INVALID', `${field}: expected ${expected}, got ${got}`)
}
