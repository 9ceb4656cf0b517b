// Measures Ed25519 without JSON: crate/ed25519x4 in its test harness, with parsed keys and prepared tables,
// compared with node:crypto, WebCrypto and libraries. A command measures the same rows in browsers:
//
//   node crate/ed25519x4/harness/browsers.mjs

import { randomBytes, sign, verify } from 'node:crypto'
import { compile, harness } from '../../crate/ed25519x4/harness/build.mjs'
import { BY, rowsOf } from '../../crate/ed25519x4/harness/rows.mjs'
import { timings } from '../../crate/ed25519x4/harness/timing.mjs'
import { SIGNING_PEERS } from '../peers.mjs'
import { subtleKeys } from './signing.mjs'

/** Bytes to sign, about as many as the identity bytes of a bundle. */
const BYTES = new Uint8Array(randomBytes(400))

/**
 * @typedef {import('../keys.mjs').Keys} Keys
 * @typedef {Record<string, import('./suite.mjs').OpenContender>} Opened
 */

/** Rows with all contenders. Other libraries prepare no tables and verify no groups of signatures. */
const SIGNED = { operation: 'sign', labels: ['sign', `sign by ${BY.sign}`, 'sign and check'] }
const VERIFIED = {
  operation: 'verify',
  labels: ['verify, table', `verify by ${BY.verify}, table`, 'verify, no table'],
}
const OWN = { operation: undefined, labels: ['read a public key', 'make a table'] }

/** @param {Keys} keys @returns {Promise<Opened>} */
async function signers(keys) {
  const [key] = await subtleKeys(keys)
  const { subtle } = globalThis.crypto
  return {
    'node:crypto': { run: () => sign(null, BYTES, keys.privateKey) },
    WebCrypto: { run: () => subtle.sign('Ed25519', key, BYTES) },
    ...peers(({ sign: signWith }) => signWith(BYTES, keys.signingKey)),
  }
}

/** @param {Keys} keys @returns {Promise<Opened>} */
async function verifiers(keys) {
  const [, key] = await subtleKeys(keys)
  const { subtle } = globalThis.crypto
  const signature = new Uint8Array(sign(null, BYTES, keys.privateKey))
  return {
    'node:crypto': { run: () => verify(null, BYTES, keys.publicKey, signature) },
    WebCrypto: { run: () => subtle.verify('Ed25519', key, signature, BYTES) },
    ...peers(({ verify: verifyWith }) => verifyWith(BYTES, keys.verifyingKey, signature)),
  }
}

/** @param {(peer: import('../peers.mjs').SigningPeer) => unknown} run @returns {Opened} */
function peers(run) {
  const all = Object.entries(SIGNING_PEERS)
  return Object.fromEntries(all.map(([name, peer]) => [name, { run: () => run(peer) }]))
}

/** @param {import('./suite.mjs').Cell} cell @param {Keys} keys @returns {Promise<Opened>} */
async function open({ label, operation }, keys) {
  const { Pair } = await harness()
  const seed = keys.signingKey.subarray(0, 32)
  const expected = sign(null, BYTES, keys.privateKey)
  if (!expected.equals(new Pair(seed).sign(BYTES))) throw new Error('sign: expected what node:crypto gives')
  const ours = /** @type {import('./suite.mjs').OpenContender} */ (rowsOf(Pair, seed, BYTES)[label])
  if (operation === undefined) return { ours }
  return { ours, ...(await (operation === 'sign' ? signers(keys) : verifiers(keys))) }
}

/** Tests whether the signing time depends on secret values. @param {boolean} isQuick */
async function secrets(isQuick) {
  const found = await timings(isQuick ? 500 : 50_000)
  const columns = {
    'signing with': found.map(({ secret }) => `fixed, random ${secret}`),
    'fixed, ns': found.map(({ fixed }) => fixed.toFixed(0)),
    'random, ns': found.map(({ random }) => random.toFixed(0)),
    "Welch's t": found.map(({ t }) => t.toFixed(2)),
  }
  return {
    caption: 'time of a signature, fixed against random secrets: a leak would be a t over 4.5 in size',
    groups: [{ title: '', columns: Object.entries(columns).map(([head, values]) => ({ head, values })) }],
  }
}

/** @type {import('./suite.mjs').Suite} */
export const curve = {
  name: 'curve',
  title: `Ed25519 over ${BYTES.length} bytes, keys kept`,
  rows: 'operation',
  cells: [SIGNED, VERIFIED, OWN].flatMap(({ operation, labels }) =>
    labels.map((label) => ({ label, ...(operation && { operation }), mostCalls: 512 })),
  ),
  contenders: ['ours', 'node:crypto', 'WebCrypto', ...Object.keys(SIGNING_PEERS)],
  prepare: compile,
  open,
  more: secrets,
  columns: 'micros',
  ratios: [{ head: 'ours ÷ node:crypto', above: 'ours', below: 'node:crypto' }],
  charts: [{ title: 'per signature', scale: 'linear' }],
  published: undefined,
}
