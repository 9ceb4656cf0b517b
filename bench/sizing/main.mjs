// Measures the CPU time of a call in a publisher, a Mosquitto broker and a verifying subscriber. All three
// are processes on this machine at full speed. Makes the second table of `npm run bench -- wire`.
// bench/README.md applies its figures to a million devices.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { generateKey, toHex } from 'alvarium-sdk'
import { cpuSecondsOf } from '../../examples/shared/cpu.mjs'
import { withMosquitto } from '../broker.mjs'

/**
 * @typedef {object} Way
 * @property {string} label
 * @property {'url' | 'tcpUrl'} over the broker's listener for publishing
 * @property {number} batch calls per message
 * @property {number} [annotators] 5 by default
 * @property {number} [bytes] size of a payload, 1,000 by default
 * @property {'ours' | 'many' | 'once'} by `create`, `createMany`, or the baseline `once`, which a good
 * Node.js engineer would write with node:crypto and mqtt.js
 *
 * @typedef {object} Costs µs of CPU per call, and milliseconds from a call to the broker's acknowledgement
 * @property {number} publisher
 * @property {number} broker
 * @property {number} subscriber
 * @property {number} perSecond verified bundles per second
 * @property {number} p50
 * @property {number} p99
 */

const SMALL = { annotators: 1, bytes: 100 }

/** @type {readonly Way[]} */
const WAYS = [
  { label: 'a message per call, ws', over: 'url', batch: 1, by: 'ours' },
  { label: 'the same, once and mqtt.js', over: 'url', batch: 1, by: 'once' },
  { label: 'a message per call, tcp', over: 'tcpUrl', batch: 1, by: 'ours' },
  { label: 'the same, once and mqtt.js', over: 'tcpUrl', batch: 1, by: 'once' },
  { label: 'batches of 64, ws', over: 'url', batch: 64, by: 'ours' },
  { label: 'batches of 64, tcp', over: 'tcpUrl', batch: 64, by: 'ours' },
  { label: 'batches of 256, tcp', over: 'tcpUrl', batch: 256, by: 'ours' },
  { label: 'the same, small: 100 bytes, 1 annotator', over: 'tcpUrl', batch: 256, by: 'ours', ...SMALL },
  { label: 'small, by createMany', over: 'tcpUrl', batch: 256, by: 'many', ...SMALL },
]

/** Number of calls for each row. The warm-up makes a tenth of them. */
const CALLS = { quick: 1280, single: 20_000, batched: 500_000 }
/** Number of runs for each row. Only the fastest run counts, because other load slows runs down. */
const RUNS = 3

/** @param {boolean} isQuick @returns {Promise<import('../report/table.mjs').Table>} */
export async function sizingTable(isQuick) {
  const rows = []
  for (const way of WAYS) {
    console.error(`wire: ${way.label}`)
    rows.push(await fastestOf(way, isQuick))
  }
  const column = (/** @type {string} */ head, /** @type {(costs: Costs) => string} */ text) => ({
    head,
    values: rows.map(text),
  })
  const micros = (/** @type {number} */ value) => (Number.isNaN(value) ? '–' : value.toFixed(1))
  return {
    caption:
      'wire: payloads of 1,000 bytes and 5 annotators unless it says so, QoS 1; three processes as fast as they go together; the fastest of three runs',
    groups: [
      { title: '', columns: [{ head: 'way', values: WAYS.map(({ label }) => label) }] },
      {
        title: 'µs of CPU per call',
        columns: [
          column('publisher', ({ publisher }) => micros(publisher)),
          column('broker', ({ broker }) => micros(broker)),
          column('subscriber', ({ subscriber }) => micros(subscriber)),
        ],
      },
      {
        title: 'create → acknowledged',
        columns: [
          column('p50 ms', ({ p50 }) => p50.toFixed(2)),
          column('p99 ms', ({ p99 }) => p99.toFixed(2)),
        ],
      },
      {
        title: 'verified',
        columns: [column('per s', ({ perSecond }) => Math.round(perSecond).toLocaleString('en-US'))],
      },
    ],
  }
}

/** @param {Way} way @param {boolean} isQuick @returns {Promise<Costs>} */
async function fastestOf(way, isQuick) {
  let fastest = await costsOf(way, isQuick)
  for (let run = 1; run < (isQuick ? 1 : RUNS); run++) {
    const costs = await costsOf(way, isQuick)
    if (costs.perSecond > fastest.perSecond) fastest = costs
  }
  return fastest
}

/** @param {Way} way @param {boolean} isQuick @returns {Promise<Costs>} */
function costsOf(way, isQuick) {
  const { signingKey, verifyingKey } = generateKey()
  const calls = isQuick ? CALLS.quick : way.batch === 1 ? CALLS.single : CALLS.batched
  const { batch, by, annotators = 5, bytes = 1_000 } = way
  const given = { batch, by, annotators, bytes, calls, warmUp: calls / 10 }
  return withMosquitto(async (broker) => {
    const url = broker[way.over]
    // Use TCP in every row, because Mosquitto's WebSocket listener stalls with a long backlog.
    const subscriber = started('subscriber.mjs', {
      ...given,
      url: broker.tcpUrl,
      verifyingKey: toHex(verifyingKey),
    })
    await subscriber.said('ready')
    const publisher = started('publisher.mjs', { ...given, url, signingKey: toHex(signingKey) })
    await publisher.said('warm')
    await subscriber.said('warm')
    const before = await cpuMicrosOf(broker.pid())
    publisher.child.send('go')
    const [out, verified] = await Promise.all([publisher.said('done'), subscriber.said('done')])
    const brokerMicros = (await cpuMicrosOf(broker.pid())) - before
    for (const { child } of [publisher, subscriber]) {
      child.disconnect()
      await once(child, 'exit')
    }
    const { micros: publisherMicros, p50, p99 } = out
    return {
      publisher: publisherMicros,
      broker: brokerMicros / calls,
      subscriber: verified.micros,
      perSecond: verified.perSecond,
      p50,
      p99,
    }
  })
}

/** @param {string} file @param {object} options */
function started(file, options) {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), [JSON.stringify(options)])
  /** @type {Map<string, any>} */
  const heard = new Map()
  child.on('message', (/** @type {{ word: string }} */ said) => heard.set(said.word, said))
  const said = async (/** @type {string} */ word) => {
    while (!heard.has(word)) {
      if (child.exitCode !== null) throw new Error(`${file}: ended before it said ${word}`)
      await Promise.race([once(child, 'message'), once(child, 'exit')])
    }
    return heard.get(word)
  }
  return { child, said }
}

/** Returns a process's CPU time in µs; NaN if the system has no figure. @param {number | undefined} pid */
async function cpuMicrosOf(pid) {
  return cpuSecondsOf(await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')) * 1e6
}
