import { hasTextAt } from '../../../foundation/base/text/text.js'
import { P256 } from '../ec/curves.js'
import { sec1Of } from '../ec/der.js'
import { invalid } from '../fault.js'
import { secretBytes, secretCopy } from '../secret.js'
import { publicIn, SshFields } from './openssh.js'

const MAGIC = 'openssh-key-v1\0'
/**
 * Block size of an unencrypted private section, and maximum length of its padding. The bytes of the padding
 * are 1, 2, 3 …
 */
const [BLOCK, LONGEST_PADDING] = [8, 255]

/**
 * Reads a private key from OpenSSH's container, which repeats the public key. All copies must be equal. The
 * code that opens the key then checks that the public key belongs to the private one. The caller wipes the
 * result and the input.
 */
export function fromSshPrivate(blob: Uint8Array): Uint8Array<ArrayBuffer> {
  const outer = new SshFields(blob, 'signingKey')
  if (!hasTextAt(MAGIC, blob, 0)) throw outer.damaged()
  outer.skip(MAGIC.length)
  assertUnencrypted(outer.text(), outer.text(), outer.bytes())
  if (outer.number() !== 1) throw invalid('signingKey', 'one key', 'several keys')
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
    inner.bytes() // Skip the comment of the key.
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

/**
 * Reads the private key, which follows the public key. Returns Ed25519 as seed and public key, and P-256 as
 * SEC 1.
 */
function keyOf(half: Uint8Array, fields: SshFields): Uint8Array<ArrayBuffer> {
  const secret = fields.bytes()
  if (half.length === 65) return fromScalar(secret, half, fields)
  if (secret.length !== 64) throw fields.damaged()
  if (!half.every((byte, at) => byte === secret[32 + at])) throw anotherHalf()
  return secretCopy(secret)
}

/**
 * Decodes an mpint (RFC 4251 §5) into a scalar: a leading zero byte is valid only if the next byte has its
 * top bit set.
 */
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
  return invalid('signingKey', 'the public half of the private key', 'the public half of another key')
}

/** Returns whether bytes are the padding of OpenSSH: 1, 2, 3 … */
function isPadding(bytes: Uint8Array): boolean {
  return bytes.length <= LONGEST_PADDING && bytes.every((byte, at) => byte === at + 1)
}
