// Signers with messages of theirs, and keys that must be rejected.

import { createHash } from 'node:crypto'
import { identityBytes, keyIdOf, memory, openSdk, source } from 'alvarium-sdk'
import { bytesOf, decoded, expanded, ORDER, Point, SECOND_SPELLINGS, signed, TORSION } from './curve.mjs'
import { isGoodKey, opensslKey } from './reference.mjs'

/**
 * @typedef {object} Signer
 * @property {bigint} secret the scalar a @property {Uint8Array} publicKey A @property {Point} point
 * @property {import('node:crypto').KeyObject} openssl @property {Sealed[]} sealed
 * @property {{ nonce: bigint, r: Buffer }[]} odd nonces that only the owner of the private key can use
 *
 * @typedef {object} Sealed a message in two parts, before and after the signature
 * @property {Uint8Array} identity @property {string} before @property {string} after @property {Buffer} signature
 */

/** @param {import('./random.mjs').Random} random @param {number} messages @returns {Promise<Signer>} */
export async function signerWith(random, messages) {
  const seed = random.bytes(32)
  const { scalar, point, pointBytes } = expanded(seed)
  const sealed = await sealedWith(seed, random, messages)
  const odd = [1n, 2n, 8n, ORDER - 1n, ORDER - 8n, scalar, ORDER - scalar, (ORDER + 1n) / 2n].map(
    (nonce) => ({
      nonce,
      r: Buffer.from(Point.BASE.multiply(nonce).toBytes()),
    }),
  )
  return { secret: scalar, point, publicKey: pointBytes, openssl: opensslKey(pointBytes), sealed, odd }
}

async function sealedWith(seed, random, count) {
  const stream = memory()
  const sdk = await openSdk({ signingKey: { seed }, annotators: [source()], stream, host: 'attack' })
  const sealed = []
  for (let at = 0; at < count; at++) {
    const { message } = await sdk.create(random.bytes(random.below(300)))
    sealed.push(halves(message))
  }
  await sdk.close()
  return sealed
}

/** @returns {Sealed} */
function halves(message) {
  const text = Buffer.from(message).toString()
  const { signature } = JSON.parse(text).content
  const [before, after] = text.split(signature)
  return { identity: identityBytes(message), before, after, signature: Buffer.from(signature, 'hex') }
}

/** @param {Sealed} sealed @param {Buffer} signature */
export const messageWith = ({ before, after }, signature) =>
  Buffer.from(`${before}${signature.toString('hex')}${after}`)

/**
 * Returns keys of all kinds that must be rejected, random 32 bytes that only the reference can classify, and good ones.
 *
 * @param {import('./random.mjs').Random} random @param {Signer[]} signers @param {number} others
 */
export function strangeKeys(random, signers, others) {
  const points = TORSION.flatMap((torsion, at) => [
    torsion,
    ...(at === 0 ? [] : signers.map(({ point }) => point.add(torsion))),
  ])
  const canonical = points.map((point) => Buffer.from(point.toBytes()))
  const bad = [...canonical, ...canonical.map(signed), ...SECOND_SPELLINGS]
  const any = Array.from({ length: others }, () => Buffer.from(random.bytes(32)))
  const edges = [0n, 1n, 2n, ORDER].flatMap((number) => [bytesOf(number), signed(bytesOf(number))])
  const good = signers.map(({ publicKey }) => Buffer.from(publicKey))
  return [...bad, ...any, ...edges, ...good].map((bytes) => ({
    bytes,
    isGood: isGoodKey(bytes),
    isPoint: !!decoded(bytes),
  }))
}

/** Returns whether a key id is right by the reference: the first 16 bytes of SHA-256. */
export const isRightId = (bytes) =>
  keyIdOf(bytes) === createHash('sha256').update(bytes).digest('hex').slice(0, 32)
