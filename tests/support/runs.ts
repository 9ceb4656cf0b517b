import { platform } from './platform.js'

/**
 * Returns how often a property is tried: `count` times in Node, a fifth of that in browsers, where the same core runs
 * on the same bytes.
 */
export const runs = (count: number) => ({ numRuns: platform.name === 'node' ? count : Math.ceil(count / 5) })
