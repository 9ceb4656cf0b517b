import { CURVES, type Curve } from '../ec/curves.js'
import { spkiOf } from '../ec/der.js'
import { invalid } from '../fault.js'

const PREFIX = 'did:key:z'
/** Digits of base58btc (multibase `z`). */
const DIGITS = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
/** Maximum number of base58 digits of a supported key. The time for decoding grows with the square of the number. */
const MAX_DIGITS = 64
/** Multicodec codes of public keys (Ed25519, P-256, secp256k1) as unsigned varints, and key lengths in bytes. */
const CODECS: readonly { readonly code: number; readonly length: number; readonly curve?: Curve['name'] }[] =
  [
    { code: 0xed01, length: 32 },
    { code: 0x8024, length: 33, curve: 'P-256' },
    { code: 0xe701, length: 33, curve: 'secp256k1' },
  ]

export function isDidKey(text: string): boolean {
  return text.startsWith('did:')
}

/**
 * Reads the public key of a `did:key` (The did:key Method v0.9, W3C CCG).
 *
 * @returns 32 bytes for Ed25519; SubjectPublicKeyInfo in DER for P-256 and secp256k1
 */
export function fromDidKey(text: string): Uint8Array<ArrayBuffer> {
  const bytes = text.startsWith(PREFIX) ? decodeBase58(text.slice(PREFIX.length)) : undefined
  const code = bytes && ((bytes[0] ?? 0) << 8) | (bytes[1] ?? 0)
  const codec = CODECS.find((one) => one.code === code && one.length + 2 === bytes?.length)
  if (!bytes || !codec) {
    const expected = 'a did:key of Ed25519, P-256 or secp256k1, without a fragment'
    throw invalid('verifyingKey', expected, 'a DID of another kind')
  }
  const key = bytes.slice(2)
  const curve = CURVES.find(({ name }) => name === codec.curve)
  return curve ? spkiOf(curve, key) : key
}

/** Decodes base58btc that does not begin with a zero byte. Returns undefined for other texts. */
function decodeBase58(text: string): Uint8Array | undefined {
  const digits = Array.from(text, (digit) => DIGITS.indexOf(digit))
  if (digits.length === 0 || digits.length > MAX_DIGITS || digits[0] === 0 || digits.includes(-1))
    return undefined
  const hex = digits.reduce((number, digit) => number * 58n + BigInt(digit), 0n).toString(16)
  const bytes = hex.padStart(hex.length + (hex.length % 2), '0').match(/../g) ?? []
  return Uint8Array.from(bytes, (byte) => Number.parseInt(byte, 16))
}
