// Measures signing and verifying with the platform's cryptography (`engine: 'host'`) as a multiple of the
// core's time:
//
// node bench/engines.mjs [--blocks 31]
//
// Both engines take turns in blocks of CPU time. The table shows µs for each, and the median of the ratios
// with its 95 % interval.

import { parseArgs } from 'node:util'
import { generateKey, Keyring, loadAlgorithms, memory, openSdk, source, verifyMessages } from 'alvarium-sdk'
import { cpuOf, medianOf, ratiosOf } from './suites/blocks.mjs'

const BLOCK_MICROS = 20_000
const WARM_UP_MICROS = 200_000
const MESSAGES = 64
const PAYLOAD = new Uint8Array(100)

const { values } = parseArgs({ options: { blocks: { type: 'string', default: '31' } } })
await loadAlgorithms()

const stream = { publish: () => undefined }

/** @param {import('alvarium-sdk').KeyPair} key @param {'wasm' | 'host'} engine */
async function operationsOf({ signingKey, verifyingKey }, engine) {
  const options = { signingKey, annotators: [source()], host: 'edge-7', engine }
  const sdk = await openSdk({ ...options, stream })
  const kept = memory()
  const once = await openSdk({ ...options, stream: kept })
  const { message } = await once.create(PAYLOAD)
  await once.close()
  const keyring = new Keyring([verifyingKey], { engine })
  const verify = async (messages) => {
    for (const { status } of await verifyMessages(messages, { keyring })) {
      if (status !== 'fulfilled') throw new Error('expected a signature that verifies')
    }
  }
  return {
    'create, 100 bytes': () => sdk.create(PAYLOAD),
    'verify a message': () => verify([message]),
    [`verify ${MESSAGES} messages`]: () => verify(Array(MESSAGES).fill(message)),
  }
}

for (const algorithm of /** @type {const} */ (['Ed25519', 'P-256'])) {
  const key = await generateKey({ algorithm })
  const [core, host] = [await operationsOf(key, 'wasm'), await operationsOf(key, 'host')]
  console.log(`${algorithm.padEnd(20)} core, µs  host, µs   median     from       to  (95 %)`)
  for (const [name, run] of Object.entries(core)) {
    const [base, other] = [{ run }, { run: host[name] }]
    for (const contender of [base, other]) {
      const each = (await cpuOf(contender, 20)) / 20
      await cpuOf(contender, Math.ceil(WARM_UP_MICROS / each))
    }
    const [ofCore, ofHost] = [(await cpuOf(base, 100)) / 100, (await cpuOf(other, 100)) / 100]
    const operations = Math.max(1, Math.ceil(BLOCK_MICROS / ofCore))
    const { low, median, high } = medianOf(
      await ratiosOf(base, other, { blocks: Number(values.blocks), operations }),
    )
    const figures = [
      ofCore.toFixed(1),
      ofHost.toFixed(1),
      ...[median, low, high].map((one) => one.toFixed(2)),
    ]
    console.log(name.padEnd(20) + figures.map((figure) => figure.padStart(9)).join(''))
  }
}
