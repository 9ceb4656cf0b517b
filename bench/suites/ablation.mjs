// Measures the package, and each improvement of the performance report in plain Node.js.

import { check, StepsSdk } from '../baselines/steps.mjs'
import { openContender, plain, stream } from '../contenders.mjs'
import { grouped, payloadsOf } from './suite.mjs'

/** @typedef {import('../baselines/steps.mjs').Steps} Steps */

const ANNOTATORS = 5
const PAYLOAD_BYTES = 20_000

/** @type {Record<string, Steps>} */
const STEPS = {
  none: {},
  'keep key': { keepKey: true },
  'hash once': { hashOnce: true },
  'sign once': { signOnce: true },
  identity: { identity: true },
  inline: { inline: true },
  all: { keepKey: true, hashOnce: true, signOnce: true, identity: true, inline: true },
}

/** @type {import('./suite.mjs').Suite['open']} */
async function open({ annotators = 0, payloadBytes = 0 }, keys) {
  const [payload] = /** @type {[Uint8Array]} */ (payloadsOf(payloadBytes, 1))
  const opened = Object.entries(STEPS).map(async ([name, steps]) => {
    return [name, await openSteps(steps, annotators, payload, keys)]
  })
  const ours = await openContender('ours', annotators, payload, keys)
  return { ...Object.fromEntries(await Promise.all(opened)), ours }
}

/**
 * @param {Steps} steps
 * @param {number} annotators
 * @param {Uint8Array} payload
 * @param {import('../keys.mjs').Keys} keys
 * @returns {Promise<import('./suite.mjs').OpenContender>}
 */
async function openSteps(steps, annotators, payload, { keyFile, publicKey }) {
  const sdk = new StepsSdk({ keyFile, annotators: plain(annotators), stream, steps })
  const count = check(await sdk.create(payload), payload, publicKey, steps)
  if (count !== annotators) throw new Error(`steps: expected ${annotators} annotations, got ${count}`)
  return { run: () => sdk.create(payload) }
}

/** @param {number} annotators @param {number} payloadBytes @returns {import('./suite.mjs').Cell} */
const cell = (annotators, payloadBytes) => ({
  label: `${annotators} at ${grouped(payloadBytes)}`,
  annotators,
  payloadBytes,
  mostCalls: 250,
})

/** @type {import('./suite.mjs').Suite} */
export const ablation = {
  name: 'ablation',
  title: "create with the report's optimisations alone and together: annotators at payload bytes",
  rows: 'annotators at bytes',
  cells: [
    ...[0, 1, 3, 5, 7, 10].map((annotators) => cell(annotators, PAYLOAD_BYTES)),
    ...[0, 1000, 5000, 10_000, 80_000].map((bytes) => cell(ANNOTATORS, bytes)),
  ],
  contenders: [...Object.keys(STEPS), 'ours'],
  open,
  columns: 'micros',
  ratios: [...Object.keys(STEPS).slice(1), 'ours'].map((below) => {
    return { head: `none ÷ ${below}`, above: 'none', below }
  }),
  charts: [
    {
      title: `by number of annotators, ${grouped(PAYLOAD_BYTES)} bytes`,
      x: ({ annotators, payloadBytes }) => (payloadBytes === PAYLOAD_BYTES ? annotators : undefined),
      scale: 'linear',
    },
    {
      title: `by bytes of the payload, ${ANNOTATORS} annotators`,
      x: ({ annotators, payloadBytes }) => (annotators === ANNOTATORS ? payloadBytes : undefined),
      scale: 'linear',
    },
  ],
  published: undefined,
}
