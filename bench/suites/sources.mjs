// Measures hashing of payloads that arrive in pieces: the package compared with the same stream piped into
// node:crypto, and with the core alone, as in browsers. The ratio shows the cost of our yields, checks and
// promises per piece of 64 KiB.

import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { keyOf } from 'alvarium-sdk'
import { hashing } from 'alvarium-sdk/sources'
import { openAsSource } from 'alvarium-sdk/sources/node'
import { grouped, payloadsOf } from './suite.mjs'

const PIECE_BYTES = 64 * 1024
const MIB = 1024 * 1024
const [PIECE] = /** @type {[Uint8Array]} */ (payloadsOf(PIECE_BYTES, 1))

/** @param {number} bytes */
async function* pieces(bytes) {
  for (let at = 0; at < bytes; at += PIECE_BYTES) yield PIECE
}

/** @param {number} bytes @returns {ReadableStream<Uint8Array>} */
function web(bytes) {
  let at = 0
  return new ReadableStream({
    pull(controller) {
      if (at < bytes) controller.enqueue(PIECE)
      else controller.close()
      at += PIECE_BYTES
    },
  })
}

/** @param {AsyncIterable<Uint8Array>} source */
async function withNode(source) {
  const hash = createHash('sha256')
  await pipeline(source, hash)
  return hash.digest('hex').toUpperCase()
}

/** @param {ReadableStream<Uint8Array>} stream */
async function passing(stream) {
  const through = hashing()
  const key = keyOf(through)
  await stream.pipeThrough(through).pipeTo(new WritableStream())
  return key
}

const WASM = /** @type {const} */ (['sha256', { engine: 'wasm' }])

/**
 * Kinds of sources, each hashed by node:crypto, by the package, and by the package with the core.
 *
 * @type {Record<string, (bytes: number, path: string) => Record<string, () => Promise<string>>>}
 */
const KINDS = {
  'async iterable': (bytes) => ({
    'node:crypto': () => withNode(pieces(bytes)),
    ours: () => keyOf(pieces(bytes)),
    'ours, in the core': () => keyOf(pieces(bytes), ...WASM),
  }),
  'web stream': (bytes) => ({
    'node:crypto': () => withNode(Readable.fromWeb(/** @type {any} */ (web(bytes)))),
    ours: () => keyOf(web(bytes)),
    'ours, in the core': () => keyOf(web(bytes), ...WASM),
  }),
  file: (_, path) => ({
    'node:crypto': () => withNode(createReadStream(path)),
    ours: async () => keyOf(await openAsSource(path)),
    'ours, in the core': async () => keyOf(await openAsSource(path), ...WASM),
  }),
  'through hashing()': (bytes) => ({
    'node:crypto': () => withNode(Readable.fromWeb(/** @type {any} */ (web(bytes)))),
    ours: () => passing(web(bytes)),
  }),
}

/** @type {import('./suite.mjs').Suite['open']} */
async function open({ operation = '', payloadBytes = 0 }) {
  const folder = await mkdtemp(join(tmpdir(), 'alvarium-bench-'))
  const path = join(folder, 'payload')
  await writeFile(path, pieces(payloadBytes))
  const ways = Object.entries(KINDS[operation]?.(payloadBytes, path) ?? {})
  const keys = new Set(await Promise.all(ways.map(([, run]) => run())))
  if (keys.size !== 1) throw new Error(`${operation}: expected one key, got ${[...keys].join(', ')}`)
  const close = () => rm(folder, { recursive: true, force: true })
  return Object.fromEntries(ways.map(([name, run]) => [name, { run, close }]))
}

/** @param {string} operation @param {number} mib @returns {import('./suite.mjs').Cell} */
const cell = (operation, mib) => ({
  label: `${operation}, ${grouped(mib)} MiB`,
  operation,
  payloadBytes: mib * MIB,
  mostCalls: mib > 8 ? 1 : 8,
  isLong: mib > 8,
})

/** @type {import('./suite.mjs').Suite} */
export const sources = {
  name: 'sources',
  title: 'payload keys of sources, in pieces of 64 KiB: the stream at its size',
  rows: 'source',
  cells: Object.keys(KINDS).flatMap((kind) => [cell(kind, 4), cell(kind, 256)]),
  contenders: ['node:crypto', 'ours', 'ours, in the core'],
  open,
  columns: 'micros',
  ratios: [{ head: 'node:crypto ÷ ours', above: 'node:crypto', below: 'ours' }],
  charts: [],
  published: undefined,
}
