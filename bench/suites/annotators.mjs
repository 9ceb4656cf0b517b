import { BY_ANNOTATORS } from '../report/published.mjs'
import { ALL_CONTENDERS, grouped } from './suite.mjs'

const PAYLOAD_BYTES = 20_000

/** The report's first experiment: what one more annotator costs. @type {import('./suite.mjs').Suite} */
export const annotators = {
  name: 'annotators',
  title: `create by number of annotators, payload of ${grouped(PAYLOAD_BYTES)} bytes`,
  rows: 'annotators',
  cells: [0, 1, 3, 5, 7, 10].map((count) => ({
    label: String(count),
    annotators: count,
    payloadBytes: PAYLOAD_BYTES,
  })),
  contenders: ALL_CONTENDERS,
  base: { label: '1', text: 'ours ÷ ours at 1' },
  published: BY_ANNOTATORS,
}
