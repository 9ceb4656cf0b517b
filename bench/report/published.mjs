// Figures of the performance report (May 2024): average seconds for 5,000 calls with copies of the annotator
// `src`. They were measured on another machine, so compare their growth, not single numbers.

/**
 * @typedef {object} Published
 * @property {string} title
 * @property {number} calls number of calls that each figure covers
 * @property {Record<string, readonly number[]>} columns seconds, one per row of the suite
 */

const TITLE = 'as published, i5-6500: average s for 5,000 calls'
const CALLS = 5000

/** Figures for 20,000 bytes and 0, 1, 3, 5, 7 and 10 annotators. @type {Published} */
export const BY_ANNOTATORS = {
  title: TITLE,
  calls: CALLS,
  columns: {
    Java: [0.511, 3.38, 7.287, 11.217, 15.325, 20.99],
    'Java, all changes': [1.709, 1.623, 1.647, 1.719, 1.722, 1.776],
    Rust: [0.002, 0.416, 1.235, 2.074, 2.865, 4.064],
  },
}

/** Figures for 5 annotators and 0, 1,000, 5,000, 10,000, 20,000 and 80,000 bytes. @type {Published} */
export const BY_PAYLOAD = {
  title: TITLE,
  calls: CALLS,
  columns: {
    Java: [8.837, 8.67, 9.193, 9.693, 11.16, 19.455],
    'Java, all changes': [0.983, 1.069, 1.154, 1.336, 1.639, 3.466],
    Rust: [0.76, 0.825, 1.388, 2.041, 3.32, 11.071],
  },
}
