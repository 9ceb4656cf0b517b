import { BY_ANNOTATORS } from '../report/published.mjs'
import { oursAgainst, SDK_RATIOS, SDKS } from './sdks.mjs'
import { grouped } from './suite.mjs'

const PAYLOAD_BYTES = 20_000

/**
 * First experiment of the performance report: the cost of one more annotator.
 *
 * @type {import('./suite.mjs').Suite}
 */
export const annotators = {
  ...SDKS,
  name: 'annotators',
  title: `create by number of annotators, payload of ${grouped(PAYLOAD_BYTES)} bytes`,
  rows: 'annotators',
  cells: [0, 1, 3, 5, 7, 10].map((count) => ({
    label: String(count),
    annotators: count,
    payloadBytes: PAYLOAD_BYTES,
  })),
  ratios: [...SDK_RATIOS, oursAgainst('1')],
  charts: [{ title: 'by number of annotators', x: ({ annotators: count }) => count, scale: 'log-y' }],
  published: BY_ANNOTATORS,
}
