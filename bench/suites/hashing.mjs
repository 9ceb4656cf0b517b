// Measures the payload key of one payload, by engine. No function of the SDK exposes the four-lane hash:
// `createMany` uses it for payloads that the host would not hash faster. This suite therefore calls the
// generated core. `4 lanes` gets concatenated payloads, which are copied once, as in the scalar `wasm`.
// `joined, 4 lanes` concatenates them first, as js/foundation/core/hashing.ts must.

import { hash } from 'node:crypto'
import { keyOf } from 'alvarium-sdk'
import { join } from '../../dist/foundation/base/bytes/join.js'
import { sha256Many } from '../../dist/foundation/core/generated/core.js'
import { HASHING_PEERS } from '../peers.mjs'
import { grouped, payloadsOf } from './suite.mjs'

const LANES = 4
/** Maximum payload length in bytes for the four-lane hash (`PIECE_BYTES` in foundation/core/hashing.ts). */
const LANES_TO_BYTES = 256 * 1024
/** Bytes hashed per sample, so that rows with long and short payloads take about the same time. */
const BYTES_PER_SAMPLE = 32 * 1024 * 1024

/**
 * @typedef {import('./suite.mjs').OpenContender} OpenContender
 * @typedef {(payloads: Uint8Array[]) => string[]} HashAll returns payload keys in upper-case hexadecimal
 */

/** @param {import('alvarium-sdk').Engine} engine @returns {HashAll} */
const withEngine = (engine) => (payloads) => payloads.map((payload) => keyOf(payload, 'sha256', engine))

/** @type {HashAll} */
const withNode = (payloads) => payloads.map((payload) => hash('sha256', payload, 'hex').toUpperCase())

/** @param {Uint8Array[]} payloads @returns {Uint8Array} concatenated digests */
function inLanes(payloads) {
  const { bytes, lengths } = join(payloads)
  return sha256Many(bytes, lengths)
}

/** @type {HashAll} */
function keysInLanes(payloads) {
  const digests = Buffer.from(inLanes(payloads))
  return payloads.map((_, at) =>
    digests
      .subarray(32 * at, 32 * at + 32)
      .toString('hex')
      .toUpperCase(),
  )
}

/** @type {Record<string, HashAll>} */
const ENGINES = {
  wasm: withEngine('wasm'),
  host: withEngine('host'),
  auto: withEngine('auto'),
  'node:crypto': withNode,
  ...withPeers(),
}

/** @returns {Record<string, HashAll>} */
function withPeers() {
  const peers = Object.entries(HASHING_PEERS)
  return Object.fromEntries(peers.map(([name, keyOfPeer]) => [name, (payloads) => payloads.map(keyOfPeer)]))
}

/** @type {import('./suite.mjs').Suite['open']} */
async function open({ payloadBytes = 0 }) {
  const payloads = payloadsOf(payloadBytes, LANES)
  const expected = withNode(payloads).join()
  /** @type {Record<string, OpenContender>} */
  const opened = {}
  for (const [name, hashAll] of Object.entries(ENGINES)) {
    assertSame(name, hashAll(payloads), expected)
    opened[name] = { run: () => hashAll(payloads), units: LANES }
  }
  if (payloadBytes > LANES_TO_BYTES) return opened
  assertSame('4 lanes', keysInLanes(payloads), expected)
  const { bytes: joined, lengths } = join(payloads)
  return {
    ...opened,
    '4 lanes': { run: () => sha256Many(joined, lengths), units: LANES },
    'joined, 4 lanes': { run: () => inLanes(payloads), units: LANES },
  }
}

/** @param {string} name @param {string[]} got @param {string} expected */
function assertSame(name, got, expected) {
  if (got.join() !== expected) throw new Error(`${name}: expected the keys that node:crypto gives`)
}

/** @type {import('./suite.mjs').Suite} */
export const hashing = {
  name: 'hashing',
  title: 'SHA-256 of four payloads, by bytes of each',
  rows: 'bytes',
  cells: [64, 256, 1024, 4096, 20_000, 80_000, 2 ** 20, 2 ** 24].map((payloadBytes) => ({
    label: grouped(payloadBytes),
    payloadBytes,
    mostCalls: Math.ceil(BYTES_PER_SAMPLE / payloadBytes),
  })),
  contenders: [
    'wasm',
    'host',
    'auto',
    '4 lanes',
    'joined, 4 lanes',
    'node:crypto',
    ...Object.keys(HASHING_PEERS),
  ],
  open,
  columns: 'bytes',
  ratios: [
    { head: 'wasm ÷ 4 lanes', above: 'wasm', below: '4 lanes' },
    { head: 'wasm ÷ joined', above: 'wasm', below: 'joined, 4 lanes' },
    { head: 'wasm ÷ host', above: 'wasm', below: 'host' },
    { head: 'auto ÷ node:crypto', above: 'auto', below: 'node:crypto' },
  ],
  charts: [{ title: 'one payload, by its bytes', x: ({ payloadBytes }) => payloadBytes, scale: 'log' }],
  published: undefined,
}
