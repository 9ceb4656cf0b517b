// Measures the throughput lost while all witnesses hang, against none configured: of a store that ingests, and of an
// SDK that signs. Blocks of the two alternate.
//
//   node tests/witness/hanging.mjs [pairs of blocks]

import { createServer } from 'node:http'
import { generateKey, memory, openSdk, source } from 'alvarium-sdk'
import { checkpoints } from 'alvarium-sdk/completeness'
import { openStore } from 'alvarium-sdk/store'
import { NoteSigner } from './logs.mjs'

const PAIRS = Number(process.argv[2] ?? 40)
const [INGESTED, SIGNED] = [200, 3_000]

const server = createServer(() => {})
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
const url = `http://127.0.0.1:${server.address().port}`
const witnesses = ['w1', 'w2', 'w3'].map((name) => ({
  url,
  vkey: new NoteSigner(`witness.example/${name}`, 4).vkey,
}))
const logger = { debug() {}, info() {}, warn() {}, error() {} }
const options = { witnesses }

async function signing(witnessed) {
  const { signingKey } = generateKey()
  const own = checkpoints({ stream: { publish() {} }, ...witnessed })
  const sdk = await openSdk({
    signingKey,
    annotators: [source()],
    stream: { publish() {} },
    checkpoints: own,
    logger,
  })
  let count = 0
  return async () => {
    for (let left = SIGNED; left > 0; left--) await sdk.create(Buffer.from(`reading ${count++}`))
  }
}

async function ingesting(witnessed) {
  const { signingKey, verifyingKey } = generateKey()
  const stream = memory()
  const sdk = await openSdk({ signingKey, annotators: [source()], stream })
  for (let left = INGESTED * (PAIRS + 2); left > 0; left--) await sdk.create(Buffer.from(`reading ${left}`))
  await sdk.close()
  const log = {
    origin: 'log.example/hanging',
    signingKey: generateKey().signingKey,
    everyMs: 1_000,
    ...witnessed,
  }
  const store = await openStore('memory:', { keyring: [verifyingKey], log, logger })
  let at = 0
  return async () => {
    await store.ingest(stream.messages.slice(at, at + INGESTED))
    at += INGESTED
  }
}

/** Measures the time of a block, by the clock and by the CPU, in ms. */
async function measure(run) {
  const [start, cpu] = [performance.now(), process.cpuUsage()]
  await run()
  const { user, system } = process.cpuUsage(cpu)
  return { clock: performance.now() - start, cpu: (user + system) / 1_000 }
}

/** Prints the median ratio of blocks, with its 95 % interval (by the ranks of a sign test). */
function print(name, ratios) {
  const sorted = [...ratios].sort((one, other) => one - other)
  const half = Math.ceil(0.98 * Math.sqrt(sorted.length))
  const middle = Math.floor(sorted.length / 2)
  const [low, median, high] = [middle - half, middle, middle + half].map((at) =>
    ((sorted[at] - 1) * 100).toFixed(1),
  )
  console.log(
    `${name}: ${median} % more time while all witnesses hang (95 %: ${low} to ${high} %), ${ratios.length} pairs`,
  )
}

for (const [name, make] of Object.entries({ ingest: ingesting, create: signing })) {
  const [without, hanging] = [await make({}), await make(options)]
  for (const run of [without, hanging, without, hanging]) await run()
  const ratios = { clock: [], cpu: [] }
  for (let pair = 0; pair < PAIRS - 1; pair++) {
    const order = pair % 2 ? [without, hanging] : [hanging, without]
    const times = new Map()
    for (const run of order) times.set(run, await measure(run))
    for (const by of ['clock', 'cpu']) ratios[by].push(times.get(hanging)[by] / times.get(without)[by])
  }
  for (const by of ['clock', 'cpu']) print(`${name}, by the ${by}`, ratios[by])
}
process.exit()
