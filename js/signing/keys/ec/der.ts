import { secretBytes } from '../secret.js'
import { CURVES, type Curve } from './curves.js'

/** Object identifier `id-ecPublicKey` (RFC 5480 §2.1.1), near the beginning of containers of EC keys. */
const EC_PUBLIC_KEY = [0x2a, 0x86, 0x48, 0xce, 0x3d, 2, 1]
/** Bytes of SEC 1's container (RFC 5915 §3) between its header of two or three bytes and a scalar of 32 bytes. */
const SEC1 = [2, 1, 1, 4, 0x20]
/** Maximum offset of the algorithm in PKCS#8. Two headers and a version precede the algorithm. */
const MAX_ALGORITHM_AT = 12
const SEQUENCE = 0x30

/** Encodes a public key as SubjectPublicKeyInfo (RFC 5480 §2). DER permits only one encoding. */
export function spkiOf(curve: Curve, point: Uint8Array): Uint8Array<ArrayBuffer> {
  return der(SEQUENCE, der(SEQUENCE, der(6, EC_PUBLIC_KEY), der(6, curve.oid)), der(3, [0], point))
}

/** Encodes a private key in SEC 1's container, with its curve. The caller wipes it; there is no other copy. */
export function sec1Of(curve: Curve, scalar: Uint8Array, point?: Uint8Array): Uint8Array<ArrayBuffer> {
  const publicHalf = point ? der(0xa1, der(3, [0], point)) : []
  const bytes = der(SEQUENCE, SEC1, new Uint8Array(32), der(0xa0, der(6, curve.oid)), publicHalf)
  bytes.set(scalar, 2 + SEC1.length)
  return bytes
}

/** Reads the curve and the point, in either encoding, of a SubjectPublicKeyInfo. Returns undefined for other bytes. */
export function fromSpki(bytes: Uint8Array): { curve: Curve; point: Uint8Array } | undefined {
  if (bytes[0] !== SEQUENCE) return undefined
  for (const curve of CURVES) {
    for (const length of [65, 33]) {
      const head = spkiOf(curve, new Uint8Array(length)).subarray(0, -length)
      if (bytes.length === head.length + length && hasBytesAt(head, bytes, 0)) {
        return { curve, point: bytes.subarray(-length) }
      }
    }
  }
  return undefined
}

/** Converts a signature r ‖ s to an `ECDSA-Sig-Value` in DER (RFC 3279 §2.2.3), which other tools read. */
export function ecdsaDer(signature: Uint8Array): Uint8Array<ArrayBuffer> {
  return der(SEQUENCE, integerDer(signature.subarray(0, 32)), integerDer(signature.subarray(32)))
}

/**
 * Encodes a DER INTEGER: no leading zero bytes, except one before a byte with its top bit set, which would
 * make the number negative.
 */
function integerDer(number: Uint8Array): Uint8Array<ArrayBuffer> {
  const digits = number.subarray(number.findIndex((byte) => byte > 0))
  return (digits[0] as number) < 0x80 ? der(2, digits) : der(2, [0], digits)
}

/** Returns whether bytes begin like a key on one of the curves, in any DER container. The rest may be invalid. */
export function isEc(bytes: Uint8Array): boolean {
  if (bytes[0] !== SEQUENCE) return false
  if (hasBytesAt(SEC1, bytes, 2) || hasBytesAt(SEC1, bytes, 3)) return true
  return CURVES.some(({ oid }) => {
    const algorithm = [...der(6, EC_PUBLIC_KEY), ...der(6, oid)]
    for (let at = 4; at <= MAX_ALGORITHM_AT; at++) if (hasBytesAt(algorithm, bytes, at)) return true
    return false
  })
}

/** Returns whether a DER container begins like one of a private key, which has a version number. */
export function isPrivate(bytes: Uint8Array): boolean {
  return bytes[2] === 2 || bytes[3] === 2
}

function der(tag: number, ...parts: readonly ArrayLike<number>[]): Uint8Array<ArrayBuffer> {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  const bytes = secretBytes(2 + length)
  bytes.set([tag, length])
  let at = 2
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

function hasBytesAt(expected: ArrayLike<number>, bytes: Uint8Array, at: number): boolean {
  return Array.prototype.every.call(expected, (byte, index) => bytes[at + index] === byte)
}
