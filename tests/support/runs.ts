import { platform } from './platform.js'

/** How often a property is tried: in Node as often as it says, in browsers, where the same core runs on the same bytes, a fifth of that. */
export const runs = (count: number) => ({ numRuns: platform.name === 'node' ? count : Math.ceil(count / 5) })
