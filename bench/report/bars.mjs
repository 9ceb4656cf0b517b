// Bars (the project's promises about speed), and the verdicts whether a run met the bars.

import { pairedRatio } from './statistics.mjs'

/**
 * @typedef {import('../measure.mjs').Measurement} Measurement
 * @typedef {import('../suites/suite.mjs').Cell} Cell
 * @typedef {{ contender: string } & Partial<Cell>} Place selects the cells that have these properties
 * @typedef {{ text: string, above: Place, below: Place, atMost?: number, atLeast?: number }} Bar
 * @typedef {{ text: string, suite: string, ratio: number, isMet: boolean }} Verdict
 */

/** @param {number} payloadBytes @returns {Bar} */
const asFastAsOnce = (payloadBytes) => ({
  text: `ours ÷ once, with 5 annotators at ${payloadBytes.toLocaleString('en-US')} bytes, is at most 1`,
  above: { contender: 'ours', annotators: 5, payloadBytes },
  below: { contender: 'once', annotators: 5, payloadBytes },
  atMost: 1,
})

/** @param {number} payloadBytes @returns {Bar} */
const lanesAreFaster = (payloadBytes) => ({
  text: `wasm ÷ 4 lanes, at four payloads of ${payloadBytes.toLocaleString('en-US')} bytes, is at least 1.7`,
  above: { contender: 'wasm', payloadBytes },
  below: { contender: '4 lanes', payloadBytes },
  atLeast: 1.7,
})

/** @param {string} label of suites/curve.mjs @param {number} atMost @returns {Bar} */
const curveIsFaster = (label, atMost) => ({
  text: `Ed25519, ours ÷ node:crypto, ${label}, is at most ${atMost}`,
  above: { contender: 'ours', label },
  below: { contender: 'node:crypto', label },
  atMost,
})

/** @param {number} annotators @param {number} payloadBytes @param {number} atMost @returns {Bar} */
const fasterThanOnce = (annotators, payloadBytes, atMost) => ({
  text: `ours ÷ once, annotators ${annotators} at ${payloadBytes.toLocaleString('en-US')} bytes, is at most ${atMost}`,
  above: { contender: 'ours', annotators, payloadBytes },
  below: { contender: 'once', annotators, payloadBytes },
  atMost,
})

/** @type {readonly Bar[]} */
const BARS = [
  curveIsFaster('sign', 0.55),
  curveIsFaster('verify, table', 0.25),
  curveIsFaster('verify by 64, table', 0.2),
  fasterThanOnce(1, 20_000, 0.62),
  fasterThanOnce(5, 100, 0.55),
  {
    text: 'ours with 10 annotators ÷ ours with 1, at 20,000 bytes, is at most 1.1',
    above: { contender: 'ours', annotators: 10, payloadBytes: 20_000 },
    below: { contender: 'ours', annotators: 1, payloadBytes: 20_000 },
    atMost: 1.1,
  },
  ...[1000, 20_000, 80_000].map(asFastAsOnce),
  {
    text: 'each ÷ ours, with 10 annotators at 20,000 bytes, is at least 7',
    above: { contender: 'each', annotators: 10, payloadBytes: 20_000 },
    below: { contender: 'ours', annotators: 10, payloadBytes: 20_000 },
    atLeast: 7,
  },
  {
    text: 'once ÷ createMany, in batches of 256 with 5 annotators at 100 bytes, is at least 6',
    above: { contender: 'once', annotators: 5, payloadBytes: 100, batch: 256 },
    below: { contender: 'createMany', annotators: 5, payloadBytes: 100, batch: 256 },
    atLeast: 6,
  },
  {
    text: 'createMany ÷ hashing alone, in batches of 256 with 5 annotators at 20,000 bytes, is at most 1.6',
    above: { contender: 'createMany', annotators: 5, payloadBytes: 20_000, batch: 256 },
    below: { contender: 'hashing', annotators: 5, payloadBytes: 20_000, batch: 256 },
    atMost: 1.6,
  },
  {
    text: 'each ÷ createMany, in batches of 256 with 10 annotators at 20,000 bytes, is at least 15',
    above: { contender: 'each', annotators: 10, payloadBytes: 20_000, batch: 256 },
    below: { contender: 'createMany', annotators: 10, payloadBytes: 20_000, batch: 256 },
    atLeast: 15,
  },
  ...[1024, 4096, 20_000, 80_000].map(lanesAreFaster),
  {
    text: 'JSON.stringify and TextEncoder ÷ the core, from digest and answers to bytes, 1,000 bundles of 5 annotations, is at least 2',
    above: { contender: 'built, JSON', bundles: 1000, annotators: 5 },
    below: { contender: 'core', bundles: 1000, annotators: 5 },
    atLeast: 2,
  },
  {
    text: 'verifying a bundle, of 64 verified together ÷ verifying a signature with node:crypto is at most 0.4',
    above: { contender: 'ours', operation: 'verifyMessages, per bundle' },
    below: { contender: 'node:crypto', operation: 'verifyBytes' },
    atMost: 0.4,
  },
  {
    text: 'verifying a bundle of a batch whose root is known ÷ verifying a signature with node:crypto is at most 0.15',
    above: { contender: 'ours', operation: 'verifyMessage, extracted' },
    below: { contender: 'node:crypto', operation: 'verifyBytes' },
    atMost: 0.15,
  },
  {
    text: 'no pool ÷ a pool of 2 workers, 256 calls in flight, at 1,000 bytes, is at least 1.7',
    above: { contender: 'no pool', operation: 'create, 256 in flight', payloadBytes: 1000 },
    below: { contender: '2 workers', operation: 'create, 256 in flight', payloadBytes: 1000 },
    atLeast: 1.7,
  },
]

/**
 * Returns a verdict for each bar and each suite that measured it.
 *
 * @param {readonly Measurement[]} measurements
 * @returns {Verdict[]}
 */
export function verdicts(measurements) {
  return BARS.flatMap((bar) => measurements.flatMap((measurement) => judged(bar, measurement)))
}

/** @param {Bar} bar @param {Measurement} measurement @returns {Verdict[]} */
function judged({ text, above, below, atMost = Infinity, atLeast = 0 }, measurement) {
  const [high, low] = [samplesAt(measurement, above), samplesAt(measurement, below)]
  if (!high || !low) return []
  const ratio = pairedRatio(high, low)
  return [{ text, suite: measurement.suite.name, ratio, isMet: ratio <= atMost && ratio >= atLeast }]
}

/** @param {Measurement} measurement @param {Place} place */
function samplesAt({ cells }, { contender, ...facts }) {
  const wanted = /** @type {[keyof Cell, unknown][]} */ (Object.entries(facts))
  const found = cells.find(({ cell }) => wanted.every(([name, value]) => cell[name] === value))
  return found?.samples.get(contender)
}

/**
 * @param {readonly Verdict[]} list
 * @param {boolean} isQuick
 */
export function verdictText(list, isQuick) {
  if (isQuick) return 'Bars: a quick run is too short to judge them'
  const lines = list.map(({ text, suite, ratio, isMet }) => {
    return `  ${isMet ? 'met    ' : 'NOT MET'} ${ratio.toFixed(2).padStart(6)}  ${text} (suite ${suite})`
  })
  return ['Bars', ...(lines.length > 0 ? lines : ['  none of them was measured by these suites'])].join('\n')
}
