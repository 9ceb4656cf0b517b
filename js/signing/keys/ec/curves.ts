import type { OtherAlgorithm } from '../../../foundation/model/algorithm.js'

/** An elliptic curve y² = x³ + ax + b over the integers modulo p, where p is 3 modulo 4. */
export interface Curve {
  readonly name: OtherAlgorithm
  /** Number that identifies the curve in crate/algorithms/src/algorithm.rs. */
  readonly number: number
  /** Object identifier in DER, without its tag and length. */
  readonly oid: readonly number[]
  readonly p: bigint
  readonly a: bigint
  readonly b: bigint
  /**
   * Public key to refuse, because its private key cannot sign. For SM2, this is −G, with the private key d = n − 1:
   * SM2 needs (1 + d)⁻¹, which does not exist.
   */
  readonly refused?: readonly [x: bigint, y: bigint]
}

export const P256: Curve = {
  name: 'P-256',
  number: 1,
  oid: [0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7],
  p: 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn,
  a: -3n,
  b: 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn,
}
export const SECP256K1: Curve = {
  name: 'secp256k1',
  number: 2,
  oid: [0x2b, 0x81, 4, 0, 0x0a],
  p: 0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2fn,
  a: 0n,
  b: 7n,
}
const SM2: Curve = {
  name: 'SM2',
  number: 3,
  oid: [0x2a, 0x81, 0x1c, 0xcf, 0x55, 1, 0x82, 0x2d],
  p: 0xfffffffeffffffffffffffffffffffffffffffff00000000ffffffffffffffffn,
  a: -3n,
  b: 0x28e9fa9e9d9f5e344d5a9e4bcf6509a7f39789f515ab8f92ddbcbd414d940e93n,
  refused: [
    0x32c4ae2c1f1981195f9904466a39c9948fe30bbff2660be1715a4589334c74c7n,
    0x43c8c95c0b098863a642311c9496deac2f56788239d5b8c0fd20cd1adec60f5fn,
  ],
}

export const CURVES: readonly Curve[] = [P256, SECP256K1, SM2]

/**
 * Returns the uncompressed point (SEC 1 §2.3.3) for either encoding. Returns undefined for an invalid
 * encoding, for a point at infinity or not on the curve, and for a point that cannot be a public key. The
 * WebAssembly module of crate/algorithms also has the curves, but the key id is needed before this module is
 * loaded. Constant time is not needed, because public keys are not secret.
 */
export function pointOf(curve: Curve, encoded: Uint8Array): Uint8Array<ArrayBuffer> | undefined {
  const [tag = 0] = encoded
  const isWhole = tag === 4 && encoded.length === 65
  if (!isWhole && !((tag === 2 || tag === 3) && encoded.length === 33)) return undefined
  const x = numberOf(encoded.subarray(1, 33))
  const y = isWhole ? numberOf(encoded.subarray(33)) : rootAt(curve, x, BigInt(tag & 1))
  const { p } = curve
  if (x >= p || y >= p || (y * y - squareAt(curve, x)) % p !== 0n) return undefined
  if (curve.refused?.[0] === x && curve.refused[1] === y) return undefined
  return Uint8Array.of(4, ...bytesOf(x), ...bytesOf(y))
}

function squareAt({ p, a, b }: Curve, x: bigint): bigint {
  return (((x * x + a) * x + b) % p) + p
}

/**
 * Returns the square root with this parity of x³ + ax + b: the coordinate y of the point with this x. The
 * root is (x³ + ax + b) to the power of (p + 1) / 4, or p minus this power. If the curve has no point with
 * this x, the result is not a root, so the caller checks it.
 */
function rootAt(curve: Curve, x: bigint, parity: bigint): bigint {
  const { p } = curve
  let [root, base] = [1n, squareAt(curve, x) % p]
  for (let exponent = (p + 1n) / 4n; exponent > 0n; exponent >>= 1n) {
    if (exponent & 1n) root = (root * base) % p
    base = (base * base) % p
  }
  return (root & 1n) === parity ? root : p - root
}

function numberOf(bytes: Uint8Array): bigint {
  return bytes.reduce((number, byte) => (number << 8n) | BigInt(byte), 0n)
}

function bytesOf(number: bigint): number[] {
  return Array.from({ length: 32 }, (_, at) => Number((number >> BigInt(8 * (31 - at))) & 0xffn))
}
