// Whether tests notice a fault. Those that fail without one notice nothing, whatever they do with it.

import { LONGEST_MS } from './sandboxes.mjs'

/** @typedef {import('./faults.mjs').Fault} Fault */

/**
 * @typedef {object} Sandbox
 * @property {(tests: readonly string[], timeoutMs: number) => Promise<boolean>} passes
 * @property {(fault: Fault) => Promise<boolean>} notices
 *
 * @typedef {object} Result
 * @property {Fault} fault
 * @property {'noticed' | 'survived' | 'untried'} outcome
 * @property {readonly string[]} failing its tests that fail without it, for which it was not tried
 */

/** Test files, and whether they pass without a fault. @type {Map<string, Promise<boolean>>} */
const baseline = new Map()

/** @param {Sandbox} sandbox without a fault in it @param {Fault} fault @returns {Promise<Result>} */
export async function tried(sandbox, fault) {
  const failing = []
  for (const test of fault.tests) if (!(await passesAlone(sandbox, test))) failing.push(test)
  if (failing.length > 0) return { fault, outcome: 'untried', failing }
  return { fault, outcome: (await sandbox.notices(fault)) ? 'noticed' : 'survived', failing }
}

/** In half the time that it has with a fault, or a busy machine looks like one. @param {Sandbox} sandbox @param {string} test */
function passesAlone(sandbox, test) {
  const known = baseline.get(test) ?? sandbox.passes([test], LONGEST_MS / 2)
  baseline.set(test, known)
  return known
}
