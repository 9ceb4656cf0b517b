// Writes a line to the parent synchronously: it is out when this function returns, whatever happens next.

import { writeSync } from 'node:fs'

/** Writes a line. @param {unknown[]} words */
export function say(...words) {
  let rest = Buffer.from(`${words.join(' ')}\n`)
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(1, rest))
    } catch (error) {
      // The pipe is full: try again until the parent has read.
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EAGAIN') throw error
    }
  }
}
