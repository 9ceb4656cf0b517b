import { BY_PAYLOAD } from '../report/published.mjs'
import { SDK_RATIOS, SDKS } from './sdks.mjs'
import { grouped } from './suite.mjs'

const ANNOTATORS = 5

/** Second experiment of the performance report: the cost of a larger payload. @type {import('./suite.mjs').Suite} */
export const payload = {
  ...SDKS,
  name: 'payload',
  title: `create by size of the payload, ${ANNOTATORS} annotators`,
  rows: 'bytes',
  cells: [0, 1000, 5000, 10_000, 20_000, 80_000].map((bytes) => ({
    label: grouped(bytes),
    annotators: ANNOTATORS,
    payloadBytes: bytes,
  })),
  ratios: SDK_RATIOS,
  charts: [{ title: 'by bytes of the payload', x: ({ payloadBytes }) => payloadBytes, scale: 'log-y' }],
  published: BY_PAYLOAD,
}
