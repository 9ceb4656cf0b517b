// crate/FORMAT.md written a second time, with Node's crypto and none of our code: the scripts in this folder make
// vectors with it.

import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto'

export const seed = Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex') // RFC 8032 §7.1, TEST 1
const pkcs8 = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed])
const privateKey = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' })
export const publicKey = createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(12)
export const signer = createHash('sha256').update(publicKey).digest('hex').slice(0, 32)

export const MICROS = 1_795_168_800_123_456n
const TIMESTAMP = '2026-11-20T10:00:00.123456Z'
export const ENTROPY = 0x00ff_1122_3344_5566_7788n

function key(payload, hash) {
  return hash === 'none' ? payload : createHash(hash).update(payload).digest('hex').toUpperCase()
}

function ulid(number) {
  let text = ''
  for (let at = 0; at < 26; at++) {
    text = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'[Number(number & 31n)] + text
    number >>= 5n
  }
  return text
}

export const u32 = (number) => Buffer.from(number.toString(16).padStart(8, '0'), 'hex')
export const text = (value) => Buffer.concat([u32(Buffer.byteLength(value)), Buffer.from(value)])

export function identity(bundle) {
  return Buffer.concat([
    Buffer.from(`alvarium.AnnotationBundle/${bundle.inputs ? 2 : 1}\n`),
    text(bundle.action),
    text(bundle.key),
    ...madeFrom(bundle),
    ...[bundle.hash, bundle.host, bundle.layer, bundle.timestamp, bundle.signer].map(text),
    u32(bundle.annotations.length),
    ...bundle.annotations.flatMap(({ id, kind, tag, isSatisfied }) => [text(id), text(kind), text(tag), Buffer.of(isSatisfied ? 1 : 0)]),
  ])
}

function madeFrom({ previousKey, inputs }) {
  if (inputs) return [u32(inputs.length), rootOf(inputs.map(leafOf))]
  return previousKey === undefined ? [Buffer.of(0)] : [Buffer.of(1), text(previousKey)]
}

function leafOf({ set, hash, key }) {
  if (set !== undefined) return sha256(Buffer.of(0, 1), Buffer.from(set, 'hex'))
  return sha256(Buffer.of(0, 0), text(hash), text(key))
}

/** Returns the root over leaf hashes (RFC 9162 §2.1.1). */
function rootOf(leaves) {
  if (leaves.length === 1) return leaves[0]
  let half = 1
  while (2 * half < leaves.length) half *= 2
  return sha256(Buffer.of(1), rootOf(leaves.slice(0, half)), rootOf(leaves.slice(half)))
}

/** Returns the bundle of one call about one payload; `at` is the number of its first annotation id. */
export function bundleOf(
  { action, payload, previousPayload, hash = 'sha256', host = '', layer = 'app', tag = '', answers },
  at = 0,
) {
  const first = ((MICROS / 1000n) << 80n) | (ENTROPY + BigInt(at))
  const annotations = Object.entries(answers).map(([kind, isSatisfied], place) => ({
    id: ulid(first + BigInt(place)),
    kind,
    tag,
    isSatisfied,
  }))
  const previousKey = previousPayload === undefined ? {} : { previousKey: key(previousPayload, hash) }
  const keys = { key: key(payload, hash), ...previousKey }
  return { action, signer, ...keys, hash, host, layer, timestamp: TIMESTAMP, annotations }
}

export const sha256 = (...parts) => createHash('sha256').update(Buffer.concat(parts)).digest()

/** Returns a bundle's id: its leaf hash in a batch. */
export const idOf = (identity) => sha256(Buffer.of(0), identity).toString('hex')

export const signed = (bytes) => sign(null, bytes, privateKey).toString('hex')

export const common = {
  seed: seed.toString('hex'),
  publicKey: publicKey.toString('hex'),
  keyId: signer,
  micros: Number(MICROS),
  entropy: ENTROPY.toString(16),
}
