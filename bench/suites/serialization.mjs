// Measures writing bundles as bytes: the core's JSON, our codecs, JSON.stringify and other libraries.
//
// All contenders write the same bundle without its signature, so nothing is signed. `core` turns a payload's
// digest and the annotators' answers into JSON in the batch, as the SDK does. It also makes the ids, the
// timestamp and the hexadecimal key, checks the bundle's limits, writes the bytes to be hashed for the
// signature, and copies the result to JavaScript. `core, cbor()` encodes a whole message of one bundle as
// CBOR, because codecs always get whole messages. The other contenders get finished objects. `built, JSON`
// starts from the same inputs as the core, and shows what the core replaces.

import { inspect, isDeepStrictEqual } from 'node:util'
import { cbor, json } from 'alvarium-sdk'
import { builtJson, CoreWriter, DIFFERENT, sampleOf } from '../bundles.mjs'
import { NATIVE, SERIALIZERS } from '../serializers.mjs'
import { grouped } from './suite.mjs'

/**
 * @typedef {import('./suite.mjs').Cell} Cell
 * @typedef {import('./suite.mjs').OpenContender} OpenContender
 * @typedef {import('../bundles.mjs').Sample} Sample
 * @typedef {import('../bundles.mjs').Write} Write
 */

/** @param {Sample} sample @param {string} name @returns {Write} */
function written({ objects }, name) {
  const { encode, decode } = /** @type {import('../serializers.mjs').Serializer} */ (SERIALIZERS[name])
  for (const object of objects) {
    const got = decode(encode(object))
    if (!isDeepStrictEqual(got, object))
      throw new Error(`${name}: expected the bundle back, got ${inspect(got)}`)
  }
  return (at) => encode(/** @type {object} */ (objects[at]))
}

/** @type {import('./suite.mjs').Suite['open']} */
async function open({ bundles = 1, annotators = 0 }, keys) {
  const sample = await sampleOf(annotators, keys)
  const core = new CoreWriter(sample)
  const whole = new CoreWriter(sample, sample.messages)
  const [asJson, asCbor] = [json(), cbor()]
  const others = Object.keys(SERIALIZERS).map((name) => [name, writing(bundles, written(sample, name))])
  return {
    core: { ...writing(bundles, (at) => asJson.encode(core.write(at))), close: async () => core.free() },
    'core, cbor()': {
      ...writing(bundles, (at) => asCbor.encode(whole.write(at))),
      close: async () => whole.free(),
    },
    'built, JSON': writing(bundles, builtJson(sample)),
    ...Object.fromEntries(others),
  }
}

/**
 * Opens a contender that writes bundles one after another, and keeps them until all are written, as in a
 * queue.
 *
 * @param {number} bundles
 * @param {Write} write
 * @returns {OpenContender}
 */
function writing(bundles, write) {
  let next = 0
  const run = () => {
    const queue = []
    for (let count = 0; count < bundles; count++) {
      queue.push(write(next))
      next = (next + 1) % DIFFERENT
    }
    return queue
  }
  return { run, units: bundles, bytes: write(0).length }
}

/** @param {number} bundles @param {number} annotators @returns {Cell} */
const cell = (bundles, annotators) => ({
  label: `${grouped(bundles)} × ${annotators}`,
  bundles,
  annotators,
  ...(bundles >= 10_000 && { isLong: true, mostRounds: bundles > 10_000 ? 3 : 5 }),
})

const ANNOTATORS = [1, 3, 5, 10]
const CHARTED = { bundles: 1000, annotators: 5 }

/**
 * Returns the number of annotations in rows with the charted number of bundles; undefined for other rows.
 * @type {NonNullable<import('./suite.mjs').Chart['x']>}
 */
const byAnnotations = ({ bundles, annotators }) => (bundles === CHARTED.bundles ? annotators : undefined)

/** @type {import('./suite.mjs').Suite} */
export const serialization = {
  name: 'serialization',
  title: `writing bundles as bytes, one per call, by bundles in a row × annotations of each (${NATIVE})`,
  rows: 'bundles × annotations',
  cells: ANNOTATORS.flatMap((count) =>
    [1, 10, 100, 1000, 10_000, 100_000].map((bundles) => cell(bundles, count)),
  ),
  contenders: ['core', 'core, cbor()', 'built, JSON', ...Object.keys(SERIALIZERS)],
  open,
  hasGarbage: true,
  columns: 'micros',
  ratios: ['built, JSON', ...Object.keys(SERIALIZERS)].map((above) => {
    return { head: `${above} ÷ core`, above, below: 'core' }
  }),
  charts: [
    {
      title: `bundles of ${CHARTED.annotators} annotations, by how many`,
      x: ({ bundles, annotators }) => (annotators === CHARTED.annotators ? bundles : undefined),
      scale: 'log',
    },
    { title: 'one bundle, by its annotations', x: byAnnotations, scale: 'log' },
    { title: 'one bundle, by its annotations', x: byAnnotations, scale: 'linear', of: 'bytes' },
    { title: 'one bundle, by its annotations', x: byAnnotations, scale: 'log', of: 'heap' },
  ],
  published: undefined,
}
