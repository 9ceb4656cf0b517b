import { fourBits } from '../../../foundation/base/bytes/hex.js'
import { assertBytes, describe, isBytes } from '../../../foundation/base/errors.js'
import { isUtf16, stripBom } from '../../../foundation/base/text/text.js'
import { invalid, type KeyField } from '../fault.js'
import { secretCopy, secretText, trimBytes } from '../secret.js'
import { fromDidKey, isDidKey } from './did-key.js'
import { fromJwk, type Jwk, parseJwk } from './jwk.js'
import { fromNoteKey, isNoteKey } from './note-key.js'
import { fromSshLine, isSshLine } from './openssh.js'
import { fromSshPrivate } from './openssh-private.js'
import { fromPem, type OpenContainer, pemIn } from './pem.js'
import { fromPoint, fromScalar, type Point, type Scalar } from './raw.js'
import { fromSeed, type Seed } from './seed.js'

/** Maximum length of a key in any form, in bytes. Keys are copied into the core's memory, which never shrinks. */
const MAX_KEY_BYTES = 65_536
const BRACE = 0x7b

/**
 * Opens the text containers of keys: PEM (RFC 7468), JWK (RFC 7517) and OpenSSH's. The core reads the
 * contents, and hexadecimal digits. The core does not open containers itself, because text parsers would
 * double its size. Keys of algorithms other than Ed25519 are returned as DER.
 *
 * @returns `input` itself if it is bytes without a text container or byte order mark; otherwise new bytes,
 * which the caller wipes
 * @throws AlvariumError `KEY_INVALID`, which never quotes the key
 * @throws TypeError for bytes with a buffer that was transferred or has shrunk
 */
export function keyBytes(input: unknown, field: KeyField, openSsh?: OpenContainer): Uint8Array {
  if (isBytes(input)) return fromBytes(input, field, openSsh)
  if (typeof input === 'string') return fromText(input.trim(), field, openSsh)
  if (typeof input === 'object' && input !== null) {
    if ('kty' in input) return fromJwk(input as Jwk, field)
    if ('seed' in input && field === 'signingKey') return fromSeed(input as Seed)
    if ('scalar' in input && field === 'signingKey') return fromScalar(input as Scalar)
    if ('point' in input && field === 'verifyingKey') return fromPoint(input as Point)
  }
  const isPair = typeof input === 'object' && input !== null && field in input
  throw invalid(field, 'bytes, text or a JWK', isPair ? `a key pair: pass its ${field}` : describe(input))
}

/** Calls a function with the bytes of a private key, and afterwards wipes them if they are a copy. */
export function withSigningBytes<T>(input: unknown, use: (bytes: Uint8Array) => T): T {
  const bytes = keyBytes(input, 'signingKey', fromSshPrivate)
  try {
    return use(bytes)
  } finally {
    if (bytes !== input) bytes.fill(0)
  }
}

function fromBytes(bytes: Uint8Array, field: KeyField, openSsh?: OpenContainer): Uint8Array {
  assertBytes(bytes, field)
  assertShort(bytes, field)
  // Return an input of at most 64 bytes unchanged, because a bare key may look like the beginning of a PEM
  // file or JWK.
  if (bytes.length <= 64) return bytes
  if (isUtf16(bytes)) throw invalid(field, 'a key in UTF-8', 'UTF-16: save the file as UTF-8')
  const text = trimBytes(bytes)
  const pem = pemIn(text)
  if (pem) return fromPem(pem, field, openSsh)
  if (isSshLine(text)) return fromSshLine(text, field)
  if (text[0] === BRACE) return fromJwkText(new TextDecoder().decode(text), field)
  return stripBom(bytes) === bytes ? bytes : secretCopy(text)
}

function fromText(text: string, field: KeyField, openSsh?: OpenContainer): Uint8Array {
  assertShort(text, field)
  if (text.startsWith('{')) return fromJwkText(text, field)
  const isPublic = field === 'verifyingKey'
  if (isPublic && isDidKey(text)) return fromDidKey(text)
  if (isPublic && isNoteKey(text)) return fromNoteKey(text)
  const bytes = secretText(text)
  const pem = pemIn(bytes)
  if (!pem && !isSshLine(bytes)) return assertDigits(bytes, field)
  try {
    return pem ? fromPem(pem, field, openSsh) : fromSshLine(bytes, field)
  } finally {
    bytes.fill(0)
  }
}

function fromJwkText(text: string, field: KeyField): Uint8Array {
  return fromJwk(parseJwk(text, field), field)
}

/** Refuses text other than hexadecimal digits, because a passphrase of 32 characters would make a weak seed. */
function assertDigits(text: Uint8Array, field: KeyField): Uint8Array {
  const at = text.findIndex((code) => fourBits(code) < 0)
  if (at < 0) return text
  text.fill(0)
  const got = `an invalid character at position ${at} (a path? use readKey)`
  throw invalid(field, 'hexadecimal digits, PEM, a JWK or an OpenSSH key', got)
}

function assertShort({ length }: Uint8Array | string, field: KeyField): void {
  if (length === 0) throw invalid(field, 'a key', 'an empty value')
  if (length > MAX_KEY_BYTES) throw invalid(field, `at most ${MAX_KEY_BYTES} bytes`, `${length}`)
}
