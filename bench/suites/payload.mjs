import { BY_PAYLOAD } from '../report/published.mjs'
import { ALL_CONTENDERS, grouped } from './suite.mjs'

const ANNOTATORS = 5

/** The report's second experiment: what a larger payload costs. @type {import('./suite.mjs').Suite} */
export const payload = {
  name: 'payload',
  title: `create by size of the payload, ${ANNOTATORS} annotators`,
  rows: 'bytes',
  cells: [0, 1000, 5000, 10_000, 20_000, 80_000].map((bytes) => ({
    label: grouped(bytes),
    annotators: ANNOTATORS,
    payloadBytes: bytes,
  })),
  contenders: ALL_CONTENDERS,
  base: undefined,
  published: BY_PAYLOAD,
}
