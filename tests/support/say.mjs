// A line to the parent that is out when this returns, whatever happens next.

import { writeSync } from 'node:fs'

/** @param {unknown[]} words */
export function say(...words) {
  let rest = Buffer.from(`${words.join(' ')}\n`)
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(1, rest))
    } catch (error) {
      // The pipe is full: until the parent has read.
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EAGAIN') throw error
    }
  }
}
