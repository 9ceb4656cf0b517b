// Makes a table of bytes written and of garbage, in addition to the table of times.

/**
 * @typedef {import('../measure.mjs').Measurement} Measurement
 * @typedef {import('../measure.mjs').MeasuredCell} MeasuredCell
 * @typedef {import('./table.mjs').Group} Group
 */

const NOTHING = '–'

/** @param {Measurement} measurement @returns {import('./table.mjs').Table} */
export function memoryTable({ suite, cells }) {
  const rows = { head: suite.rows, values: cells.map(({ cell }) => cell.label) }
  return {
    caption: `${suite.name}: bytes written, bytes allocated on the JavaScript heap and µs of garbage collection per call, collections per 1,000 calls`,
    groups: [{ title: '', columns: [rows] }, ...suite.contenders.map((name) => contenderGroup(cells, name))],
  }
}

/** @param {MeasuredCell[]} cells @param {string} name @returns {Group} */
function contenderGroup(cells, name) {
  return {
    title: name,
    columns: [
      { head: 'B', values: cells.map(({ bytes }) => shown(bytes.get(name), 0)) },
      { head: 'heap B', values: cells.map((row) => shown(heapBytesPerCall(row, name), 0)) },
      {
        head: 'GC µs',
        values: cells.map(({ garbage }) => shown(perCall(garbage.get(name), 'seconds', 1e6), 3)),
      },
      {
        head: 'GCs',
        values: cells.map(({ garbage }) => shown(perCall(garbage.get(name), 'collections', 1e3), 2)),
      },
    ],
  }
}

/** @param {MeasuredCell} row @param {string} name */
export const heapBytesPerCall = ({ garbage }, name) => perCall(garbage.get(name), 'heapBytes', 1)

/**
 * @param {import('../garbage.mjs').Garbage | undefined} garbage
 * @param {'collections' | 'seconds' | 'heapBytes'} what
 * @param {number} times
 */
function perCall(garbage, what, times) {
  return garbage && (garbage[what] / garbage.calls) * times
}

/** @param {number | undefined} number @param {number} digits */
function shown(number, digits) {
  return number === undefined ? NOTHING : number.toFixed(digits)
}
