// Measures how long a store in PostgreSQL takes to forget payloads, and to answer queries with a trust
// policy.
//
//   npm run build && node bench/store/forgetting/main.mjs            1,000 payloads
//   node bench/store/forgetting/main.mjs 10000                       10,000 payloads
//
// Each payload has a bundle in its own message and one in a batch. A `mutate` names it as its source.

import { generateKey, memory, openSdk, source, toHex } from 'alvarium-sdk'
import { openStore } from 'alvarium-sdk/store'
import { readTrust } from 'alvarium-sdk/trust'
import { startPostgres } from '../../../tests/store/postgres.mjs'

const count = Number(process.argv[2] ?? 1_000)
const { signingKey, verifyingKey } = generateKey()
const server = await startPostgres('oldest')
const keyring = await readTrust({ signers: [{ name: 'dev-7', keys: [toHex(verifyingKey)] }] })
const log = { origin: 'example.com/bench', signingKey: generateKey().signingKey }
const store = await openStore(server.url, { keyring, log })
try {
  const mine = Array.from({ length: count }, (_, at) => utf8(`letter ${at}`))
  await publish({ tag: 'person-17' }, (sdk) => each(mine, (one) => sdk.create(one)))
  await publish({}, (sdk) => each(mine, (one, at) => sdk.mutate(one, utf8(`summary ${at}`))))
  // Make batches of 100 bundles, ten of them about payloads that will be forgotten.
  await publish({}, async (sdk) => {
    for (let at = 0; at < count; at += 10) {
      const others = Array.from({ length: 90 }, (_, other) => utf8(`other ${at} ${other}`))
      await sdk.createMany([...mine.slice(at, at + 10), ...others])
    }
  })
  const { bundles } = await store.stats()
  console.log(`${bundles.toLocaleString('en-US')} bundles`)
  await measure('about, with the trust policy', () => store.about(utf8('summary 7'), { trust: keyring }))
  await measure('about, again', () => store.about(utf8('summary 7'), { trust: keyring }))
  await measure('score, with the trust policy', () => store.why(utf8('summary 7'), { trust: keyring }))
  await measure('1,000 of a signer, with the trust policy', () =>
    store.by({ signer: 'dev-7' }, { limit: 1_000, trust: keyring }),
  )
  await measure('1,000 of a signer, without', () => store.by({ signer: 'dev-7' }, { limit: 1_000 }))
  const done = await measure(`forget ${count} payloads`, () => store.forget({ payloads: mine }))
  const { payloads, messages, prunings } = done
  console.log(
    `${payloads} payloads, ${done.bundles} bundles, ${messages} messages, ${prunings.length} transactions`,
  )
  const { verdict, differences } = await measure('audit', () => store.audit())
  console.log(verdict, differences.length)
} finally {
  await store.close()
  await server.stop()
}

/** @param {Partial<import('alvarium-sdk').SdkOptions>} options @param {(sdk: import('alvarium-sdk').Sdk<any>) => Promise<unknown>} say */
async function publish(options, say) {
  const stream = memory()
  const sdk = await openSdk({ signingKey, annotators: [source()], stream, ...options })
  await say(sdk)
  await sdk.close()
  await store.ingest(stream.messages.map((message) => ({ message, receivedAt: Date.now() })))
}

/** @param {readonly Uint8Array[]} payloads @param {(one: Uint8Array, at: number) => Promise<unknown>} call */
async function each(payloads, call) {
  for (const [at, one] of payloads.entries()) await call(one, at)
}

/** @template T @param {string} name @param {() => Promise<T>} act */
async function measure(name, act) {
  const start = performance.now()
  const result = await act()
  console.log(`${name.padEnd(44)}${(performance.now() - start).toFixed(0).padStart(8)} ms`)
  return result
}

/** @param {string} text */
function utf8(text) {
  return new TextEncoder().encode(text)
}
