// What the project promises about speed, and whether a run kept it.

import { pairedRatio } from './statistics.mjs'

/**
 * @typedef {import('../measure.mjs').Measurement} Measurement
 * @typedef {{ contender: import('../contenders.mjs').ContenderName, annotators: number, payloadBytes: number }} Place
 * @typedef {{ text: string, above: Place, below: Place, atMost?: number, atLeast?: number }} Bar
 * @typedef {{ text: string, suite: string, ratio: number, isMet: boolean }} Verdict
 */

/** @type {readonly Bar[]} */
const BARS = [
  {
    text: 'ours with 10 annotators ÷ ours with 1, at 20,000 bytes, is at most 1.15',
    above: { contender: 'ours', annotators: 10, payloadBytes: 20_000 },
    below: { contender: 'ours', annotators: 1, payloadBytes: 20_000 },
    atMost: 1.15,
  },
  {
    text: 'ours ÷ once, with 5 annotators at 100 bytes, is at most 1',
    above: { contender: 'ours', annotators: 5, payloadBytes: 100 },
    below: { contender: 'once', annotators: 5, payloadBytes: 100 },
    atMost: 1,
  },
  {
    text: 'each ÷ ours, with 10 annotators at 20,000 bytes, is at least 5',
    above: { contender: 'each', annotators: 10, payloadBytes: 20_000 },
    below: { contender: 'ours', annotators: 10, payloadBytes: 20_000 },
    atLeast: 5,
  },
]

/**
 * One verdict per bar and suite that measured it.
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
function samplesAt({ cells }, { contender, annotators, payloadBytes }) {
  const found = cells.find(({ cell }) => cell.annotators === annotators && cell.payloadBytes === payloadBytes)
  return found?.samples.get(contender)
}

/**
 * @param {readonly Verdict[]} list
 * @param {boolean} isQuick
 */
export function verdictText(list, isQuick) {
  if (isQuick) return 'Bars: a quick run is too short to judge them'
  const lines = list.map(({ text, suite, ratio, isMet }) => {
    return `  ${isMet ? 'met   ' : 'NOT MET'} ${ratio.toFixed(2).padStart(6)}  ${text} (suite ${suite})`
  })
  return ['Bars', ...(lines.length > 0 ? lines : ['  none of them was measured by these suites'])].join('\n')
}
