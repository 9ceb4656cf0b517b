// Signatures of all kinds on which verifiers have disagreed, and the expected verdict of each kind.

import { bytesOf, challenge, joined, ORDER, Point, SECOND_SPELLINGS, signed, TORSION } from './curve.mjs'

/**
 * @typedef {object} Case the claim that the signature is the signer's over the message
 * @property {string} kind @property {import('./keys.mjs').Signer} signer @property {import('./keys.mjs').Sealed} sealed
 * @property {Buffer} signature @property {boolean} isGenuine
 */

/** @param {import('./random.mjs').Random} random @param {number} count number of nonces, each with every point of small order */
export function noncesOf(random, count) {
  return Array.from({ length: count }, () => {
    const nonce = challenge(random.bytes(32))
    const point = Point.BASE.multiply(nonce)
    return { nonce, points: TORSION.map((torsion) => Buffer.from(point.add(torsion).toBytes())) }
  })
}

const SMALL = TORSION.map((point) => Buffer.from(point.toBytes()))

/** Returns the S that an honest signer computes for this R. */
const scalarFor = ({ secret, publicKey }, { identity }, r, nonce) =>
  (nonce + challenge(r, publicKey, identity) * secret) % ORDER
const signature = (signer, sealed, r, nonce) => joined(r, bytesOf(scalarFor(signer, sealed, r, nonce)))

/** @param {Buffer} bytes @param {import('./random.mjs').Random} random @param {number} from @param {number} length */
function flipped(bytes, random, from, length) {
  const copy = Buffer.from(bytes)
  copy[from + random.below(length)] ^= 1 << random.below(8)
  return copy
}

const withS = (bytes, s) => joined(bytes.subarray(0, 32), bytesOf(s & ((1n << 256n) - 1n)))

/**
 * Alterations of an honest signature by name, and whether the result is still genuine.
 *
 * @type {Record<string, (honest: ReturnType<typeof honestOf>, random: import('./random.mjs').Random) => Buffer>}
 */
const BAD = {
  'R with a component of small order': ({ signer, sealed, nonce, points }, random) =>
    signature(signer, sealed, points[1 + random.below(7)], nonce),
  'R of small order': ({ signer, sealed }, random) => signature(signer, sealed, random.pick(SMALL), 0n),
  'R in a second spelling': ({ signer, sealed }, random) =>
    signature(signer, sealed, random.pick(SECOND_SPELLINGS), 0n),
  'R of the other sign': ({ bytes }) => joined(signed(bytes.subarray(0, 32)), bytes.subarray(32)),
  'R and S negated': ({ bytes, s }) => joined(signed(bytes.subarray(0, 32)), bytesOf(ORDER - s)),
  'S plus a multiple of l': ({ bytes, s }, random) => withS(bytes, s + BigInt(1 + random.below(14)) * ORDER),
  'S plus l': ({ bytes, s }) => withS(bytes, s + ORDER),
  'S plus a power of 2': ({ bytes, s }, random) => withS(bytes, s + (1n << BigInt(random.below(256)))),
  'S negated': ({ bytes, s }) => withS(bytes, ORDER - s),
  'S at an edge': ({ bytes }, random) =>
    withS(bytes, random.pick([0n, 1n, ORDER - 1n, ORDER, ORDER + 1n, (1n << 255n) - 1n, (1n << 256n) - 1n])),
  'S of another message': ({ bytes, signer, sealed }, random) =>
    joined(bytes.subarray(0, 32), another(signer.sealed, sealed, random).signature.subarray(32)),
  'a bit of R flipped': ({ bytes }, random) => flipped(bytes, random, 0, 32),
  'a bit of S flipped': ({ bytes }, random) => flipped(bytes, random, 32, 32),
  'of another message': ({ signer, sealed }, random) => another(signer.sealed, sealed, random).signature,
  'of another key': ({ signer, sealed, nonce, points, signers }, random) =>
    signature(another(signers, signer, random), sealed, points[0], nonce),
  'for another nonce': ({ signer, sealed, nonce, points }) =>
    signature(signer, sealed, points[0], nonce + 1n),
  'halves exchanged': ({ bytes }) => joined(bytes.subarray(32), bytes.subarray(0, 32)),
  'any bytes': (_, random) => Buffer.from(random.bytes(64)),
}
const BAD_KINDS = Object.keys(BAD)

function another(list, one, random) {
  const other = random.pick(list)
  return other === one ? list[(list.indexOf(one) + 1) % list.length] : other
}

function honestOf(signers, nonces, random) {
  const signer = random.pick(signers)
  const sealed = random.pick(signer.sealed)
  const { nonce, points } = random.pick(nonces)
  const s = scalarFor(signer, sealed, points[0], nonce)
  return { signers, signer, sealed, nonce, points, s, bytes: joined(points[0], bytesOf(s)) }
}

/** @param {import('./keys.mjs').Signer[]} signers @param {import('./random.mjs').Random} random @returns {Case} */
export function craft(signers, nonces, random) {
  const honest = honestOf(signers, nonces, random)
  const { signer, sealed, bytes } = honest
  const genuine = { signer, sealed, isGenuine: true }
  // A third is genuine: rejecting good signatures is a fault too, and groups must be mixed.
  const dice = random.below(30)
  if (dice < 6) return { ...genuine, kind: 'honest', signature: bytes }
  if (dice < 8) return { ...genuine, kind: 'as it was sealed', signature: sealed.signature }
  if (dice < 10) {
    const { r, nonce } = random.pick(signer.odd)
    return { ...genuine, kind: 'honest, with an odd nonce', signature: signature(signer, sealed, r, nonce) }
  }
  const kind = random.pick(BAD_KINDS)
  return { kind, signer, sealed, signature: BAD[kind](honest, random), isGenuine: false }
}
