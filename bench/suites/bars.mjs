import { oursAgainst, SDK_RATIOS, SDKS } from './sdks.mjs'
import { grouped } from './suite.mjs'

/** @param {number} count @param {number} bytes @returns {import('./suite.mjs').Cell} */
const cell = (count, bytes) => ({
  label: `${count} at ${grouped(bytes)}`,
  annotators: count,
  payloadBytes: bytes,
})

/** Suite of the cells for which report/bars.mjs sets bars. @type {import('./suite.mjs').Suite} */
export const bars = {
  ...SDKS,
  name: 'bars',
  title: 'create where the bars are set: annotators at payload bytes',
  rows: 'annotators at bytes',
  cells: [cell(5, 100), cell(5, 1000), cell(5, 20_000), cell(5, 80_000), cell(1, 20_000), cell(10, 20_000)],
  ratios: [...SDK_RATIOS, oursAgainst('1 at 20,000')],
  charts: [{ title: 'where the bars are set', scale: 'linear' }],
  published: undefined,
}
