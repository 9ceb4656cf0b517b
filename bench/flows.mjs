// Counts the files and functions of the package that run in a flow, such as one call or one received message.
// A newcomer must read these to understand the flow. Run it as:
//
//   node bench/flows.mjs             a line per flow
//   node bench/flows.mjs --files     and the functions of each file
//
// V8 counts function calls (`Profiler.takePreciseCoverage`). Each flow runs before it is counted, so that
// one-time work such as loading is not counted.

import { Session } from 'node:inspector/promises'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { generateKey, mqtt, openSdk, source, subscribe } from 'alvarium-sdk'
import { openStore } from 'alvarium-sdk/store'
import { startMosquitto } from '../examples/broker/mosquitto.mjs'
import { needMosquitto } from './broker.mjs'

const DIST = fileURLToPath(new URL('../dist', import.meta.url))
/** Number of runs before a flow is counted, so that functions that run only once are not counted. */
const WARM_UP_RUNS = 3

const PAYLOAD = new TextEncoder().encode('payload')
const key = generateKey()
const keyring = [key.verifyingKey]
const inspector = new Session()
inspector.connect()
await inspector.post('Profiler.enable')
await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })

/**
 * Returns the functions that `run` calls, by file.
 *
 * @param {() => Promise<unknown>} run
 * @returns {Promise<Map<string, string[]>>}
 */
async function functionsOf(run) {
  for (let at = 0; at < WARM_UP_RUNS; at++) await run()
  // Reset all counts by reading the coverage once.
  await inspector.post('Profiler.takePreciseCoverage')
  await run()
  const { result } = await inspector.post('Profiler.takePreciseCoverage')
  const own = result.filter(({ url }) => url.startsWith('file:') && fileURLToPath(url).startsWith(DIST))
  const called = own.map(({ url, functions }) => {
    const names = functions.filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0).map(nameOf)
    return /** @type {const} */ ([relative(DIST, fileURLToPath(url)), names])
  })
  return new Map(called.filter(([path, names]) => names.length > 0 && !path.includes('/generated/')))
}

/** @param {import('node:inspector').Profiler.FunctionCoverage} one */
const nameOf = ({ functionName, ranges }) => functionName || `(at ${ranges[0]?.startOffset})`

/** @param {string} flow @param {() => Promise<unknown>} run */
async function show(flow, run) {
  const files = await functionsOf(run)
  const count = [...files.values()].flat().length
  console.log(`${flow.padEnd(28)}${`${files.size}`.padStart(4)} files${`${count}`.padStart(6)} functions`)
  if (!process.argv.includes('--files')) return
  for (const [path, names] of [...files].sort()) console.log(`  ${path}: ${names.join(', ')}`)
}

/** @param {string} url */
async function transport(url) {
  const topic = 'alvarium/flows'
  const sdk = await openSdk({
    signingKey: key.signingKey,
    annotators: [source()],
    stream: mqtt({ url, topic }),
  })
  await show('create → PUBLISH → PUBACK', () => sdk.create(PAYLOAD))
  await sdk.close()

  const subscription = subscribe({ url, topic, keyring, clientId: 'flows' })
  await subscription.open()
  const bundles = subscription[Symbol.asyncIterator]()
  const messages = await makeMessages()
  // Publish with another client, so that the SDK's publishing is not counted.
  const client = await connect(url)
  await show('PUBLISH → bundle', async () => {
    await client.publishAsync(topic, messages.next().value, { qos: 1 })
    await bundles.next()
  })
  await client.endAsync()
  await subscription.close()
}

async function makeMessages() {
  /** @type {Uint8Array[]} */
  const messages = []
  const publish = (/** @type {Uint8Array} */ message) => void messages.push(message)
  const sdk = await openSdk({ signingKey: key.signingKey, annotators: [source()], stream: { publish } })
  for (let at = 0; at < 10; at++) await sdk.create(new Uint8Array([at]))
  await sdk.close()
  return messages.values()
}

/** @param {string} url */
async function connect(url) {
  const { connectAsync } = await import('mqtt')
  return connectAsync(url)
}

async function storage() {
  const store = await openStore('memory:', { keyring })
  const messages = await makeMessages()
  await show('ingest → row', () => store.ingest([messages.next().value]))
  await show('score → number', () => store.score(new Uint8Array([1])))
  await store.close()
}

needMosquitto()
const broker = await startMosquitto({})
await transport(broker.url)
await broker.stop()
await storage()
inspector.disconnect()
