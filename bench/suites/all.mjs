import { annotators } from './annotators.mjs'
import { bars } from './bars.mjs'
import { payload } from './payload.mjs'

/** In the order in which they run. @type {readonly import('./suite.mjs').Suite[]} */
export const SUITES = [annotators, payload, bars]
