// Code that the suites for the performance report's experiments share: our SDK and two baselines.

import { openContender } from '../contenders.mjs'
import { payloadsOf } from './suite.mjs'

/** @typedef {import('./suite.mjs').Suite} Suite */

/** Contenders, with our SDK first. @type {readonly import('../contenders.mjs').ContenderName[]} */
const NAMES = ['ours', 'once', 'each']

/** @type {Suite['open']} */
async function open({ annotators = 0, payloadBytes = 0 }, keys) {
  const [payload] = /** @type {[Uint8Array]} */ (payloadsOf(payloadBytes, 1))
  const opened = []
  for (const name of NAMES) opened.push([name, await openContender(name, annotators, payload, keys)])
  return Object.fromEntries(opened)
}

/** @type {Pick<Suite, 'contenders' | 'open' | 'columns'>} */
export const SDKS = { contenders: NAMES, open, columns: 'report' }

/** @type {Suite['ratios']} */
export const SDK_RATIOS = [
  { head: 'each ÷ ours', above: 'each', below: 'ours' },
  { head: 'ours ÷ once', above: 'ours', below: 'once' },
]

/** @param {string} base label of the row to compare with @returns {import('./suite.mjs').Ratio} */
export const oursAgainst = (base) => ({ head: `ours ÷ ours at ${base}`, above: 'ours', below: 'ours', base })
