import { bundlers } from './bundlers.mjs'
import { frameworks } from './frameworks.mjs'
import { managers } from './managers.mjs'
import { pages } from './pages.mjs'
import { runtimes } from './runtimes.mjs'
import { testRunners } from './test-runners.mjs'
import { typescript } from './typescript.mjs'

/** Every environment, in the order of the table. */
export const ENVIRONMENTS = [
  ...runtimes,
  ...typescript,
  ...testRunners,
  ...bundlers,
  ...frameworks,
  ...pages,
  ...managers,
]
