// What a suite is, and what suites share. The list of all of them is in all.mjs.

import { randomBytes } from 'node:crypto'

/**
 * @typedef {object} Cell a row of the table; bars find it by its properties
 * @property {string} label names the row
 * @property {number} [annotators]
 * @property {number} [payloadBytes]
 * @property {number} [batch] calls per message
 * @property {string} [operation]
 * @property {number} [signers] that are trusted
 * @property {number} [signerMs] that a signer takes
 * @property {number} [bundles] written one after the other
 * @property {number} [inFlight] calls at a time
 * @property {number} [mostCalls] per sample, where one call takes long
 * @property {number} [callsFactor] how many times as many calls per sample as elsewhere, 1 unless said
 * @property {number} [mostRounds] where a sample takes long
 * @property {boolean} [isLong] left out of quick runs
 *
 * @typedef {object} OpenContender its output has been verified
 * @property {() => unknown} run what is measured; a promise is waited for
 * @property {number} [units] calls that one run makes, 1 unless said
 * @property {number} [bytes] written per call, where that is of interest
 * @property {() => Promise<void>} [close]
 *
 * @typedef {object} Ratio of two contenders; with `base`, the one below in that row, else in the same row
 * @property {string} head
 * @property {string} above
 * @property {string} below
 * @property {string} [base] a label
 *
 * @typedef {object} Chart lines over numbers, one per contender; bars, where the rows are not numbers
 * @property {string} title
 * @property {(cell: Cell) => number | undefined} [x] without it, bars; undefined leaves the row out
 * @property {'linear' | 'log' | 'log-y'} scale of both axes; `log-y` of the values alone
 * @property {'time' | 'p99' | 'bytes' | 'heap'} [of] what is shown, the median time unless said
 *
 * @typedef {object} Suite
 * @property {string} name the word on the command line
 * @property {string} title
 * @property {string} rows what the labels count
 * @property {readonly Cell[]} cells
 * @property {readonly string[]} contenders in the order of the columns; a row may lack some
 * @property {(cell: Cell, keys: import('../keys.mjs').Keys, place: string) => Promise<Record<string, OpenContender>>} open
 * @property {() => void} [prepare] before any suite runs: throws what is missing
 * @property {<T>(use: (place: string) => Promise<T>) => Promise<T>} [within] what all rows need, a broker; gives `open` its URL
 * @property {(isQuick: boolean) => Promise<import('../report/table.mjs').Table>} [more] a table of its own, measured last
 * @property {boolean} [isEachCallTimed] for how much calls differ; otherwise many calls are timed together
 * @property {boolean} [hasGarbage] whether what is left to the garbage collector is measured too
 * @property {'report' | 'rate' | 'bytes' | 'micros' | 'latency'} columns what the table says about each contender
 * @property {readonly Ratio[]} ratios
 * @property {readonly Chart[]} charts
 * @property {import('../report/published.mjs').Published | undefined} published figures for the same rows
 */

/** @param {number} bytes for people */
export const grouped = (bytes) => bytes.toLocaleString('en-US')

/** More would only measure the memory: every contender of a cell goes through the same ones. */
const MOST_PAYLOADS = 256

/**
 * @param {number} bytes
 * @param {number} count
 * @returns {Uint8Array[]} random payloads, which repeat themselves when there are very many
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
 * One item after another, over and over.
 *
 * @template T
 * @param {readonly T[]} items
 * @returns {() => T}
 */
export function inTurn(items) {
  let next = 0
  return () => /** @type {T} */ (items[next++ % items.length])
}
