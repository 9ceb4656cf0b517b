// Hashes a source once, and prints the CPU time and memory growth as JSON. Runs in Node.js, Deno and Bun.
// Arguments: a kind of `KINDS`, `host` or `ours`, the size in MiB, and the path of a file of that size.

import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import process from 'node:process'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { keyOf } from 'alvarium-sdk'
import { openAsSource } from 'alvarium-sdk/sources/node'
import { piecesOf, streamOf } from './ways.mjs'

const [, , kind, way, mib, file = ''] = process.argv
const PIECES = Number(mib) * 16
const piece = Buffer.from(crypto.getRandomValues(new Uint8Array(65_536)))

/** @type {Record<string, { host: () => any, ours?: () => any }>} */
const KINDS = {
  file: { host: () => createReadStream(file), ours: () => openAsSource(file) },
  Readable: { host: readable },
  'web stream': {
    host: () => Readable.fromWeb(/** @type {any} */ (streamOf(Number(mib)))),
    ours: () => streamOf(Number(mib)),
  },
  'async iterable': { host: () => piecesOf(Number(mib)) },
}

function readable() {
  let left = PIECES
  return new Readable({
    read() {
      this.push(left-- > 0 ? piece : null)
    },
  })
}

/** @param {any} source */
async function byHost(source) {
  const hash = createHash('sha256')
  await pipeline(source, hash)
  return hash.digest('hex')
}

const { host, ours = host } = KINDS[kind] ?? {}
const run = way === 'host' ? () => byHost(host()) : async () => keyOf(await ours())
await (way === 'host' ? byHost(piecesOf(1)) : keyOf(piecesOf(1)))
const [memory, before] = [process.memoryUsage.rss(), process.cpuUsage()]
let most = memory
const watching = setInterval(() => {
  most = Math.max(most, process.memoryUsage.rss())
}, 20)
await run()
const { user, system } = process.cpuUsage(before)
clearInterval(watching)
console.log(JSON.stringify({ cpu: (user + system) / 1000, grown: (most - memory) / 1024 / 1024 }))
