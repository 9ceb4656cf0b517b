// Policies with every member at its limits, and messages on both sides of each limit.

import {
  cbor,
  classic,
  extractBundles,
  generateKey,
  identityBytes,
  loadAlgorithms,
  signBytes,
  toHex,
} from 'alvarium-sdk'
import { momentOf } from './policy-model.mjs'

const HOSTS = [
  'edge-7',
  'edge-8',
  'Edge-7',
  'edge-70',
  'edge-*',
  '*',
  '\\',
  '',
  'é',
  'e\u0301',
  '😀',
  'a'.repeat(255),
]
const HOST_PATTERNS = [
  ...['edge-7', 'edge-8', '', 'é', '😀', 'edge-\\*', '\\*', '\\\\'],
  ...['*', 'edge-*', '*7', '*-*', 'e*7*', '**', 'edge-7*', '*\\**', 'edge-7edge-7'],
]
const LAYERS = ['app', 'cicd', 'os', 'host']
const ACTIONS = ['create', 'mutate', 'transit', 'publish']
const KINDS = ['src', 'tls', 'SRC', 'src ', 'in-range']
const KIND_PATTERNS = ['src', 'tls', '*', 's*', '*c', 'in-*', '\\*']
const TAGS = ['', 'v1', 'v2', 'V1']
const TAG_PATTERNS = ['', 'v1', 'v*', '*', 'V1', '*1']
/** Times within a few minutes of each other, so that their ranges overlap. */
const MOMENTS = [
  '2026-11-20T10:00:00Z',
  '2026-11-20T10:00:00.000000001Z',
  '2026-11-20T09:59:59.999999999Z',
  '2026-11-20T10:01:00Z',
  '2026-11-20T10:00:60Z',
  '2026-11-20T10:00:60.5Z',
  '2026-11-20T11:00:00+01:00',
  '2026-11-20T10:00:00.5-00:00',
  '2026-11-20T10:00:59.999Z',
  '2026-11-20T10:01:00.001Z',
  '2026-11-19T10:01:01+00:00',
  '2027-02-28T23:59:59Z',
]
const BASE = Date.UTC(2026, 10, 20, 10, 0, 0)
const RECEIVED = [-1, 0, 1, 500, 999, 1000, 59_999, 60_000, 60_001, 61_000, 120_000, 120_001, 86_400_000].map(
  (ms) => BASE + ms,
)
const LATE = [0, 1, 60_000, 86_400_000]

const encoder = new TextEncoder()
const codec = cbor()

/** @typedef {{ keyId: string, verifyingKey: Uint8Array, signingKey: Uint8Array, isEd25519: boolean }} Signing */

/** @returns {Promise<Signing[]>} */
export async function newKeys() {
  await loadAlgorithms()
  const keys = Array.from({ length: 5 }, () => ({ ...generateKey(), isEd25519: true }))
  return [...keys, { ...(await generateKey({ algorithm: 'P-256' })), isEd25519: false }]
}

/** Makes a policy about some of these keys. @param {import('./random.mjs').Random} random @param {Signing[]} keys */
export function policyOf(random, keys) {
  const left = random.shuffled(keys)
  const signers = []
  while (left.length > 1 && random.below(8) > 0) {
    const own = left.splice(0, 1 + random.below(Math.min(3, left.length)))
    signers.push(signerOf(random, `signer ${signers.length}`, own))
  }
  return { signers, ...some(random, 'acceptLateMs', () => random.pick(LATE)) }
}

function signerOf(random, name, keys) {
  return {
    name,
    keys: keys.map((key) => keyOf(random, textOf(key))),
    ...some(random, 'hosts', () => listOf(random, HOST_PATTERNS)),
    ...some(random, 'layers', () => listOf(random, LAYERS)),
    ...some(random, 'actions', () => listOf(random, ACTIONS), 4),
    ...some(random, 'kinds', () => listOf(random, KIND_PATTERNS)),
    ...some(random, 'tags', () => listOf(random, TAG_PATTERNS)),
    ...some(random, 'acceptLateMs', () => random.pick(LATE)),
    ...validityOf(random),
  }
}

/** Returns a key as hexadecimal digits for Ed25519, as PEM for other algorithms. */
function textOf({ verifyingKey, isEd25519 }) {
  if (isEd25519) return toHex(verifyingKey)
  return `-----BEGIN PUBLIC KEY-----\n${btoa(String.fromCharCode(...verifyingKey))}\n-----END PUBLIC KEY-----`
}

const keyOf = (random, key) => (random.below(3) > 0 ? key : { key, ...validityOf(random) })

function validityOf(random) {
  const [one, other] = [random.pick(MOMENTS), random.pick(MOMENTS)].sort((a, b) =>
    momentOf(a) < momentOf(b) ? -1 : 1,
  )
  return {
    ...some(random, 'from', () => one, 5),
    ...some(random, 'until', () => other, 4),
    ...some(random, 'revoked', () => ({ since: random.pick(MOMENTS), why: 'stolen' }), 8),
  }
}

function some(random, member, make, oneIn = 3) {
  return random.below(oneIn) === 0 ? { [member]: make() } : {}
}

function listOf(random, entries) {
  return random.shuffled(entries).slice(0, random.below(8) === 0 ? 0 : 1 + random.below(4))
}

export function receivedAt(random) {
  return random.below(3) === 0 ? undefined : random.pick(RECEIVED)
}

/**
 * Makes a message in all its forms: JSON, CBOR, each bundle extracted, and a single bundle in another SDK's dialect.
 *
 * @param {import('./random.mjs').Random} random @param {Signing[]} keys
 */
export function messageOf(random, keys) {
  // Other algorithms take a hundred times as long.
  const key = keys[random.below(50) === 0 ? keys.length - 1 : random.below(keys.length - 1)]
  const count = random.below(3) === 0 ? 2 + random.below(4) : 1
  const bundles = Array.from({ length: count }, () => bundleOf(random))
  const json = signed(count === 1 ? alone(bundles[0]) : batch(bundles), key)
  const facts = bundles.map((bundle) => ({ ...bundle, signer: key.keyId }))
  return {
    facts,
    json,
    cbor: codec.encode(json),
    extracted: count === 1 ? [json] : [...extractBundles(json)],
    classic: hasClassic(bundles, key)
      ? classic({ signingKey: key.signingKey, dialect: 'go' }).encode(json)
      : undefined,
  }
}

/**
 * Returns whether other SDKs can write a message: they have no batches, no other algorithms and no second 60. For a
 * mutate, they write one more annotation.
 */
const hasClassic = ([{ timestamp, action }, ...others], { isEd25519 }) =>
  others.length === 0 && isEd25519 && !timestamp.includes(':60') && action !== 'mutate'

/** @returns {Omit<import('alvarium-sdk').Bundle, 'signer'>} */
function bundleOf(random) {
  const action = random.pick(ACTIONS)
  const key = toHex(random.bytes(32)).toUpperCase()
  return {
    action,
    key,
    ...(action === 'mutate' && { previousKey: key }),
    hash: 'sha256',
    host: random.pick(HOSTS),
    layer: random.pick(LAYERS),
    timestamp: random.pick(MOMENTS),
    annotations: Array.from({ length: random.below(4) }, (_, at) => ({
      id: `01KAJ0000000000000000000${at}0`,
      kind: random.pick(KINDS),
      tag: random.pick(TAGS),
      isSatisfied: random.below(2) === 0,
    })),
  }
}

export const alone = ({ action, ...content }) => ({
  action,
  messageType: 'alvarium.AnnotationBundle/1',
  content,
})
export const batch = (bundles) => ({ messageType: 'alvarium.AnnotationBatch/1', content: { bundles } })

/** Signs a message, in the name of any key id. @param {(bytes: Uint8Array) => Uint8Array} [sign] */
export function signed(message, { signingKey, keyId }, sign = (bytes) => signBytes(signingKey, bytes)) {
  const written = (signature) =>
    encoder.encode(JSON.stringify({ ...message, content: { signature, signer: keyId, ...message.content } }))
  return written(toHex(sign(identityBytes(written('0'.repeat(128))))))
}
