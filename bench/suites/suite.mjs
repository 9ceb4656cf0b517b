// Types and functions that all suites share. all.mjs lists the suites.

import { randomBytes } from 'node:crypto'

/**
 * @typedef {object} Cell row of a table; bars find it by its properties
 * @property {string} label text in the first column
 * @property {number} [annotators]
 * @property {number} [payloadBytes]
 * @property {number} [batch] calls per message
 * @property {string} [operation]
 * @property {number} [signers] number of trusted signers
 * @property {number} [signerMs] milliseconds that a signer takes
 * @property {number} [bundles] number of bundles written in one run
 * @property {number} [inFlight] number of parallel calls
 * @property {number} [mostCalls] maximum calls per sample, for slow calls
 * @property {number} [callsFactor] factor for the number of calls per sample, 1 by default
 * @property {number} [mostRounds] maximum number of rounds, for slow samples
 * @property {boolean} [isLong] true to leave the row out of quick runs
 *
 * @typedef {object} OpenContender contender with verified output
 * @property {() => unknown} run the measured function; a promise is awaited
 * @property {number} [units] calls per run, 1 by default
 * @property {number} [bytes] bytes written per call, if they are shown
 * @property {() => Promise<void>} [close]
 *
 * @typedef {object} Ratio of two contenders; `below` is taken from the row `base` if it is given
 * @property {string} head
 * @property {string} above
 * @property {string} below
 * @property {string} [base] label of a row
 *
 * @typedef {object} Chart lines over numbers, one per contender; bars if the rows are not numbers
 * @property {string} title
 * @property {(cell: Cell) => number | undefined} [x] undefined draws bars; a result of undefined omits the
 * row
 * @property {'linear' | 'log' | 'log-y'} scale of both axes; `log-y` only of the values
 * @property {'time' | 'p99' | 'bytes' | 'heap'} [of] the values shown, the median time by default
 *
 * @typedef {object} Suite
 * @property {string} name argument on the command line
 * @property {string} title
 * @property {string} rows quantity in the labels
 * @property {readonly Cell[]} cells
 * @property {readonly string[]} contenders in the order of the columns; a row may lack some
 * @property {(cell: Cell, keys: import('../keys.mjs').Keys, place: string) => Promise<Record<string,
 * OpenContender>>} open
 * @property {() => void} [prepare] runs before any suite and throws if something is missing
 * @property {<T>(use: (place: string) => Promise<T>) => Promise<T>} [within] provides a resource for all
 * rows, such as a broker, and passes its URL to `open`
 * @property {(isQuick: boolean) => Promise<import('../report/table.mjs').Table>} [more] makes a separate
 * table, measured last
 * @property {boolean} [isEachCallTimed] true to time each call, for the spread; otherwise many calls are
 * timed together
 * @property {boolean} [hasGarbage] true to measure garbage too
 * @property {'report' | 'rate' | 'bytes' | 'micros' | 'latency'} columns the columns for each contender
 * @property {readonly Ratio[]} ratios
 * @property {readonly Chart[]} charts
 * @property {import('../report/published.mjs').Published | undefined} published figures for the same rows
 */

/** Formats a number with thousands separators. @param {number} bytes */
export const grouped = (bytes) => bytes.toLocaleString('en-US')

/** Maximum number of different payloads. With more payloads, memory access would dominate. */
const MOST_PAYLOADS = 256

/**
 * @param {number} bytes
 * @param {number} count
 * @returns {Uint8Array[]} random payloads, repeated beyond the maximum
 */
export function payloadsOf(bytes, count) {
  const different = Array.from(
    { length: Math.min(count, MOST_PAYLOADS) },
    () => new Uint8Array(randomBytes(bytes)),
  )
  return Array.from(
    { length: count },
    (_, at) => /** @type {Uint8Array} */ (different[at % different.length]),
  )
}

/**
 * Returns a function that returns the items in turn, endlessly.
 *
 * @template T
 * @param {readonly T[]} items
 * @returns {() => T}
 */
export function inTurn(items) {
  let next = 0
  return () => /** @type {T} */ (items[next++ % items.length])
}
