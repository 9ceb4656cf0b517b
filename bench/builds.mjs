// node bench/builds.mjs <folder> [--blocks 30]: is this build slower than the one of another clone?
//
// Both are loaded into this process and take turns in blocks, so what else the machine does is in both. The table shows the CPU time
// here as a multiple of the CPU time there: the median of the blocks, and its 95 % interval. It holds for
// this process alone. From one process to the next the median moves by up to a tenth, and with who is loaded first: ede0331 beside 11d7cd1c,
// verify, 0.93 to 1.09 in ten processes. So run it in both clones, several times, before a build counts as slower.

import { randomUUID } from 'node:crypto'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { needMosquitto, withMosquitto } from './broker.mjs'
import { cpuOf, medianOf, ratiosOf } from './suites/blocks.mjs'
import { payloadsOf } from './suites/suite.mjs'

/** @typedef {typeof import('alvarium-sdk')} Build */
/** @typedef {import('./suites/suite.mjs').OpenContender} OpenContender */
/** @typedef {ReturnType<Build['generateKey']>} KeyPair */

const CALLS = 256
const MESSAGES = 64
const PUBLISHED = 2048
const IN_FLIGHT = 64
const WARM_UP_MICROS = 1_000_000
const BLOCK_MICROS = 100_000

/** @param {Build} build @param {Uint8Array} signingKey @param {object} [more] options */
const sdkOf = (build, signingKey, more) =>
  build.openSdk({
    signingKey,
    annotators: [build.source()],
    stream: { publish: () => {} },
    host: 'edge-7',
    ...more,
  })

/** @type {Record<string, (build: Build, keys: KeyPair) => Promise<OpenContender>>} */
const CONTENDERS = {
  create: async (build, { signingKey }) => {
    const sdk = await sdkOf(build, signingKey)
    const payloads = payloadsOf(100, CALLS)
    const run = async () => {
      for (const payload of payloads) await sdk.create(payload)
    }
    return { run, close: () => sdk.close() }
  },
  createMany: async (build, { signingKey }) => {
    const sdk = await sdkOf(build, signingKey, { batch: { maxBundles: CALLS } })
    const payloads = payloadsOf(100, 8 * CALLS)
    return { run: () => sdk.createMany(payloads), close: () => sdk.close() }
  },
  verify: async (build, keys) => {
    const { messages, keyring } = await sealed(build, keys)
    const run = async () => {
      for (const message of messages) await build.verifyMessage(message, { keyring })
    }
    return { run, close: async () => {} }
  },
  'verify together': async (build, keys) => {
    const { messages, keyring } = await sealed(build, keys)
    return { run: () => build.verifyMessages(messages, { keyring }), close: async () => {} }
  },
}

/** @param {Build} build @param {KeyPair} keys */
async function sealed(build, { signingKey, verifyingKey }) {
  const stream = build.memory()
  const sdk = await sdkOf(build, signingKey, { stream })
  for (const payload of payloadsOf(100, MESSAGES)) await sdk.create(payload)
  await sdk.close()
  return { messages: [...stream.messages], keyring: new build.Keyring([verifyingKey]) }
}

/** @param {Build} build @param {string} url @returns {Promise<OpenContender>} */
async function wireOf(build, url) {
  const stream = build.mqtt({ url, topic: randomUUID(), maxInFlight: IN_FLIGHT })
  await stream.connect()
  const run = async () => {
    let left = PUBLISHED
    const lane = async () => {
      while (left-- > 0) await stream.publish(new Uint8Array(744))
    }
    await Promise.all(Array.from({ length: IN_FLIGHT }, lane))
  }
  return { run, close: () => stream.close() }
}

/** Runs it for at least so much CPU time, and counts. @param {OpenContender} contender @param {number} micros */
async function operationsIn(contender, micros) {
  let count = 0
  for (let taken = 0; taken < micros; count++) taken += await cpuOf(contender, 1)
  return count
}

/** @param {string} folder a clone's @returns {Promise<Build>} */
function buildIn(folder) {
  return import(pathToFileURL(join(folder, 'dist/entries/default.js')).href)
}

/**
 * @param {string} name
 * @param {(build: Build) => Promise<OpenContender>} open
 * @param {readonly [there: Build, here: Build]} builds
 * @param {number} blocks
 */
async function compare(name, open, [there, here], blocks) {
  const both = [await open(there), await open(here)]
  // Compiled for speed first: what is compared is not how soon that happens.
  for (const contender of both) await operationsIn(contender, WARM_UP_MICROS)
  const operations = await operationsIn(both[0], BLOCK_MICROS)
  const { low, median, high } = medianOf(await ratiosOf(both[0], both[1], { blocks, operations }))
  for (const { close } of both) await close?.()
  const cells = [median, low, high].map((value) => value.toFixed(3).padStart(9))
  console.log(name.padEnd(16) + cells.join(''))
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { blocks: { type: 'string', default: '30' } },
})
const [folder] = positionals
if (folder === undefined) throw new RangeError('folder: expected that of another clone, built, got none')
needMosquitto()
const root = fileURLToPath(new URL('..', import.meta.url))
const builds = /** @type {const} */ ([await buildIn(resolve(folder)), await buildIn(root)])
const blocks = Number(values.blocks)
const keys = builds[1].generateKey()
console.log(`CPU time here ÷ in ${folder}, ${blocks} blocks of each`)
console.log(`${''.padEnd(16)}   median    from       to  (95 %)`)
for (const [name, open] of Object.entries(CONTENDERS))
  await compare(name, (build) => open(build, keys), builds, blocks)
await withMosquitto(async ({ url }) => compare('wire', (build) => wireOf(build, url), builds, blocks))
