// What a suite is. The list of all of them is in all.mjs.

/**
 * @typedef {object} Cell
 * @property {string} label names the row
 * @property {number} annotators
 * @property {number} payloadBytes
 *
 * @typedef {object} Suite
 * @property {string} name the word on the command line
 * @property {string} title
 * @property {string} rows what the labels count
 * @property {readonly Cell[]} cells
 * @property {readonly import('../contenders.mjs').ContenderName[]} contenders
 * @property {{ label: string, text: string } | undefined} base the row that ours is compared with
 * @property {import('../report/published.mjs').Published | undefined} published figures for the same rows
 */

/** The contenders of every suite so far, ours first. @type {Suite['contenders']} */
export const ALL_CONTENDERS = ['ours', 'once', 'each']

/** @param {number} bytes for people */
export const grouped = (bytes) => bytes.toLocaleString('en-US')
