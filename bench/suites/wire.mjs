// Measures publishing one message of 744 bytes (a bundle with one annotation) until the broker's
// acknowledgement: the stream `mqtt` compared with plain mqtt.js, on which it is built. Each of several
// parallel callers has one message in flight at a time. The broker is set to accept any number in flight. The
// default limit is 20, which the stream respects and mqtt.js exceeds.
//
// A second table shows the CPU time of publisher, broker and subscriber (bench/sizing/main.mjs), for the
// sizing in bench/README.md.

import { randomUUID } from 'node:crypto'
import { mqtt } from 'alvarium-sdk'
import { connectAsync } from 'mqtt'
import { needMosquitto, withMosquitto } from '../broker.mjs'
import { sizingTable } from '../sizing/main.mjs'

/**
 * @typedef {import('./suite.mjs').Cell} Cell
 * @typedef {import('./suite.mjs').OpenContender} OpenContender
 */

const MESSAGE_BYTES = 744
/** Number of messages per run. */
const UNITS = 2048

/**
 * Opens a contender that publishes all messages of a run, `inFlight` of them in parallel.
 *
 * @param {number} inFlight
 * @param {(message: Uint8Array) => Promise<unknown>} publish
 * @returns {OpenContender}
 */
function publishing(inFlight, publish) {
  const run = async () => {
    let left = UNITS
    const lane = async () => {
      // Allocate a new message each time, as calls of the SDK do.
      while (left-- > 0) await publish(new Uint8Array(MESSAGE_BYTES))
    }
    await Promise.all(Array.from({ length: inFlight }, lane))
  }
  return { run, units: UNITS }
}

/** @param {string} url @param {number} inFlight @returns {Promise<OpenContender>} */
async function openOurs(url, inFlight) {
  const stream = mqtt({ url, topic: randomUUID(), maxInFlight: inFlight })
  await stream.connect()
  return { ...publishing(inFlight, (message) => stream.publish(message)), close: () => stream.close() }
}

/** @param {string} url @param {number} inFlight @returns {Promise<OpenContender>} */
async function openStock(url, inFlight) {
  const topic = randomUUID()
  const client = await connectAsync(url)
  const publish = (/** @type {Uint8Array} */ message) =>
    client.publishAsync(topic, /** @type {Buffer} */ (message), { qos: 1 })
  return { ...publishing(inFlight, publish), close: () => client.endAsync() }
}

/** @type {import('./suite.mjs').Suite['open']} */
async function open({ operation = '', inFlight = 1 }, _keys, urls) {
  const [ws = '', tcp = ''] = urls.split(' ')
  const url = operation === 'ws' ? ws : tcp
  return { 'alvarium-sdk': await openOurs(url, inFlight), 'mqtt.js': await openStock(url, inFlight) }
}

/** @param {string} operation @param {number} inFlight @returns {Cell} */
const cell = (operation, inFlight) => ({
  label: `${operation}, ${inFlight} in flight`,
  operation,
  inFlight,
  mostCalls: inFlight === 1 ? UNITS : 4 * UNITS,
})

/** @type {import('./suite.mjs').Suite} */
export const wire = {
  name: 'wire',
  title: `messages of ${MESSAGE_BYTES} bytes until the broker has acknowledged them, QoS 1`,
  rows: 'transport',
  cells: ['ws', 'tcp'].flatMap((transport) => [1, 16, 64, 256, 1024].map((most) => cell(transport, most))),
  contenders: ['alvarium-sdk', 'mqtt.js'],
  open,
  prepare: needMosquitto,
  within: (use) => withMosquitto(({ url, tcpUrl }) => use(`${url} ${tcpUrl}`), ['max_inflight_messages 0']),
  more: sizingTable,
  columns: 'rate',
  ratios: [{ head: 'mqtt.js ÷ ours', above: 'mqtt.js', below: 'alvarium-sdk' }],
  charts: [],
  published: undefined,
}
