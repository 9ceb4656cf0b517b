// Curve arithmetic for signatures that no honest signer makes: points by @noble/ed25519, scalars by BigInt, without the
// SDK's code. Points are slow, so they are computed once: each signature takes one of them, one hash and one product.

import { createHash } from 'node:crypto'
import * as noble from '@noble/ed25519'

noble.hashes.sha512 = (bytes) => createHash('sha512').update(bytes).digest()

export const { Point } = noble
/** ℓ, the order of the base point, and p, the order of the field. */
export const { n: ORDER, p: FIELD } = Point.CURVE()

/** @param {Uint8Array} seed */
export const expanded = (seed) => noble.utils.getExtendedPublicKey(seed)

/** @param {Uint8Array} bytes the least significant first */
export const numberOf = (bytes) => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`)

/** @param {bigint} number below 2²⁵⁶ @returns {Buffer} 32 bytes */
export const bytesOf = (number) => Buffer.from(number.toString(16).padStart(64, '0'), 'hex').reverse()

/** Returns k = SHA-512(R ‖ A ‖ M) mod ℓ. @param {Uint8Array[]} parts */
export function challenge(...parts) {
  const hash = createHash('sha512')
  for (const part of parts) hash.update(part)
  return numberOf(hash.digest()) % ORDER
}

/** The eight points of small order; the first is the neutral one. */
export const TORSION = torsion()

function torsion() {
  for (let y = 2n; ; y++) {
    const point = decoded(bytesOf(y))
    // The order of ℓ·P divides 8; for most points, the result is the neutral point.
    const small = point && times(point, ORDER)
    if (small && !times(small, 4n).is0())
      return Array.from({ length: 8 }, (_, at) => times(small, BigInt(at)))
  }
}

/** Multiplies without noble's reduction of the scalar, because a point of small order has another order. */
export function times(point, scalar) {
  let sum = Point.ZERO
  for (const bit of scalar.toString(2)) sum = bit === '1' ? sum.double().add(point) : sum.double()
  return sum
}

/** Returns the point of an encoding, or undefined. @param {Uint8Array} bytes */
export function decoded(bytes) {
  try {
    return Point.fromBytes(bytes)
  } catch {
    return undefined
  }
}

/** Encodings that RFC 8032 forbids: y ≥ p, and x = 0 with a sign. Only some of them encode a point. */
export const SECOND_SPELLINGS = [
  ...Array.from({ length: 19 }, (_, y) => bytesOf(FIELD + BigInt(y))),
  bytesOf(1n),
  bytesOf(FIELD - 1n),
].flatMap((bytes, at) => [...(at < 19 ? [bytes] : []), signed(bytes)])

/** @param {Uint8Array} bytes the encoding of a point; the result encodes the other x */
export function signed(bytes) {
  const copy = Buffer.from(bytes)
  copy[31] ^= 0x80
  return copy
}

/** @param {Uint8Array} r @param {Uint8Array} s */
export const joined = (r, s) => Buffer.concat([r, s])
