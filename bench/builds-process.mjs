// Child process of builds.mjs: loads both builds, and sends the median of each comparison.

import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { withMosquitto } from './broker.mjs'
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

/** @param {Build} build @param {Uint8Array} signingKey @param {object} [more] further options */
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

/**
 * Runs a contender for at least the given CPU time, and counts its operations.
 *
 * @param {OpenContender} contender
 * @param {number} micros
 */
async function operationsIn(contender, micros) {
  let count = 0
  for (let taken = 0; taken < micros; count++) taken += await cpuOf(contender, 1)
  return count
}

/** @param {string} folder of a clone @returns {Promise<Build>} */
function buildIn(folder) {
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return import(pathToFileURL(join(folder, exports['.'])).href)
}

/**
 * Returns the CPU time of this build divided by the CPU time of the other build, as the median of all blocks.
 *
 * @param {(build: Build) => Promise<OpenContender>} open
 * @param {{ there: Build, here: Build }} builds
 * @param {number} blocks
 */
async function compare(open, { there, here }, blocks) {
  const both = [await open(there), await open(here)]
  // Warm up first, so that JIT compilation is not measured.
  for (const contender of both) await operationsIn(contender, WARM_UP_MICROS)
  const operations = await operationsIn(both[0], BLOCK_MICROS)
  const { median } = medianOf(await ratiosOf(both[0], both[1], { blocks, operations }))
  for (const { close } of both) await close?.()
  return median
}

/** @type {{ folders: { there: string, here: string }, first: 'there' | 'here', blocks: number, only?: string }} */
const { folders, first, blocks, only } = JSON.parse(process.argv[2] ?? '')
const builds = { [first]: await buildIn(folders[first]) }
for (const name of /** @type {const} */ (['there', 'here'])) builds[name] ??= await buildIn(folders[name])
const keys = builds.here.generateKey()
const isAsked = (/** @type {string} */ name) => only === undefined || name.startsWith(only)
const medians = {}
for (const [name, open] of Object.entries(CONTENDERS)) {
  if (isAsked(name)) medians[name] = await compare((build) => open(build, keys), builds, blocks)
}
if (isAsked('wire')) {
  await withMosquitto(async ({ url }) => {
    medians.wire = await compare((build) => wireOf(build, url), builds, blocks)
  })
}
if (Object.keys(medians).length === 0) {
  const names = [...Object.keys(CONTENDERS), 'wire'].join(', ')
  throw new RangeError(`--only: expected the beginning of one of ${names}, got ${only}`)
}
process.send?.(medians)
process.disconnect?.()
