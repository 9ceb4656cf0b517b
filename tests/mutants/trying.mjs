// Tries a fault with its tests. A test that fails without a fault notices nothing.

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

/** A test hangs if it takes this many times as long as without a fault. */
const PATIENCE = 4
/** Shortest timeout in milliseconds, because a busy machine is no fault. */
const MIN_TIMEOUT_MS = 120_000

/** Milliseconds that test files take without a fault; infinity for a test that fails. @type {Map<string, Promise<number>>} */
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
  const isNoticed = await sandbox.notices(fault, Math.max(MIN_TIMEOUT_MS, PATIENCE * usualMs))
  return { fault, outcome: isNoticed ? 'noticed' : 'survived', failing }
}

/** Returns the milliseconds of a test file without a fault. Runs it once, before its first fault. @param {Sandbox} sandbox @param {string} test */
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
