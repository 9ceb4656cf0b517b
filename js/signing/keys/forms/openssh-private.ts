import { sec1Of } from '../ec/der.js'
import { invalid } from '../fault.js'
import { hasTextAt, secretBytes, secretCopy } from '../secret.js'
import { P256, publicIn, SshFields } from './openssh.js'

const MAGIC = 'openssh-key-v1\0'
/** Block size of a private part without a cipher, and the longest padding in which each byte is its own number. */
const [BLOCK, LONGEST_PADDING] = [8, 255]

/**
 * Reads the key in OpenSSH's container. Its public and its private half must agree; the core and `algorithms` derive
 * the public half anew. The caller wipes the result, which is a copy, and the input.
 *
 * @throws AlvariumError `KEY_INVALID`
 */
export function fromSshPrivate(blob: Uint8Array): Uint8Array<ArrayBuffer> {
  const outer = new SshFields(blob, 'signingKey')
  if (!hasTextAt(MAGIC, blob, 0)) throw outer.damaged()
  outer.skip(MAGIC.length)
  assertUnencrypted(outer.text(), outer.text(), outer.bytes())
  if (outer.number() !== 1) throw invalid('signingKey', 'one key', 'several of them')
  const half = outer.bytes()
  const inner = new SshFields(outer.bytes(), 'signingKey')
  outer.assertEnd()
  const isWhole = inner.left % BLOCK === 0
  const [check, again] = [inner.number(), inner.number()]
  if (!isWhole || check !== again) throw inner.damaged()
  const open = publicIn(new SshFields(half, 'signingKey'))
  if (!half.every((byte, at) => byte === inner.at(at))) throw anotherHalf()
  inner.skip(half.length)
  const key = keyOf(open, inner)
  try {
    inner.bytes() // The comment.
    if (!isPadding(inner.skip(inner.left))) throw inner.damaged()
    return key
  } catch (error) {
    key.fill(0)
    throw error
  }
}

function assertUnencrypted(cipher: string, kdf: string, options: Uint8Array): void {
  if (cipher === 'none' && kdf === 'none' && options.length === 0) return
  const advice = 'make a copy of the file, and remove the passphrase there: ssh-keygen -p -N "" -f copy'
  throw invalid('signingKey', 'an OpenSSH key without a passphrase', `one with a passphrase: ${advice}`)
}

/** Returns seed and public key, or SEC 1. */
function keyOf(half: Uint8Array, fields: SshFields): Uint8Array<ArrayBuffer> {
  const secret = fields.bytes()
  if (half.length === 65) return fromScalar(secret, half, fields)
  if (secret.length !== 64) throw fields.damaged()
  if (!half.every((byte, at) => byte === secret[32 + at])) throw anotherHalf()
  return secretCopy(secret)
}

/** Reads a number of RFC 4251 §5: a leading zero byte only where it would be negative without. */
function fromScalar(number: Uint8Array, point: Uint8Array, fields: SshFields): Uint8Array<ArrayBuffer> {
  const [first = 0, second = 0] = number
  const digits = first === 0 && second >= 0x80 ? number.subarray(1) : number
  if (digits.length > 32 || first >= 0x80 || digits[0] === 0) throw fields.damaged()
  const scalar = secretBytes(32)
  scalar.set(digits, 32 - digits.length)
  try {
    return sec1Of(P256, scalar, point)
  } finally {
    scalar.fill(0)
  }
}

function anotherHalf() {
  return invalid('signingKey', 'a public half that belongs to the private one', "another key's")
}

/** Returns whether each byte is its own number: 1, 2, 3 … */
function isPadding(bytes: Uint8Array): boolean {
  return bytes.length <= LONGEST_PADDING && bytes.every((byte, at) => byte === at + 1)
}
