// Whether tests notice a fault. Those that fail without one notice nothing, whatever they do with it.

/** @typedef {import('./faults.mjs').Fault} Fault */

/**
 * @typedef {object} Sandbox
 * @property {(tests: readonly string[]) => Promise<boolean>} passes
 * @property {(fault: Fault, longestMs: number) => Promise<boolean>} notices with a fault, tests may hang
 *
 * @typedef {object} Result
 * @property {Fault} fault
 * @property {'noticed' | 'survived' | 'untried'} outcome
 * @property {readonly string[]} failing its tests that fail without it, for which it was not tried
 */

/** A test that takes so many times as long as without a fault hangs. */
const PATIENCE = 4
/** And so long at least: a busy machine is no fault. In milliseconds. */
const LEAST_MS = 120_000

/** Test files, and how long they take without a fault, in milliseconds; those that fail take for ever. @type {Map<string, Promise<number>>} */
const baseline = new Map()

/** @param {Sandbox} sandbox without a fault in it @param {Fault} fault @returns {Promise<Result>} */
export async function tried(sandbox, fault) {
  /** @type {string[]} */
  const failing = []
  let usualMs = 0
  for (const test of fault.tests) {
    const ms = await msWithout(sandbox, test)
    usualMs += ms
    if (ms === Number.POSITIVE_INFINITY) failing.push(test)
  }
  if (failing.length > 0) return { fault, outcome: 'untried', failing }
  const isNoticed = await sandbox.notices(fault, Math.max(LEAST_MS, PATIENCE * usualMs))
  return { fault, outcome: isNoticed ? 'noticed' : 'survived', failing }
}

/** Each test file is run once without a fault, before the first that it is to notice. @param {Sandbox} sandbox @param {string} test */
function msWithout(sandbox, test) {
  const known = baseline.get(test) ?? timed(sandbox, test)
  baseline.set(test, known)
  return known
}

/** @param {Sandbox} sandbox @param {string} test */
async function timed(sandbox, test) {
  const start = performance.now()
  return (await sandbox.passes([test])) ? Math.ceil(performance.now() - start) : Number.POSITIVE_INFINITY
}
