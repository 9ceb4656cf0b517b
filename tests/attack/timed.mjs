// The time and the outcome of an input.

import { AlvariumError } from 'alvarium-sdk'

/** @typedef {{ value: unknown, code?: undefined } | { code: string, value?: undefined }} Outcome */

/** Above this time in milliseconds, an input is measured again, because the machine may be the cause. */
const LONG = 100

/**
 * @param {() => Promise<unknown>} run @param {import('./tally.mjs').Tally} tally
 * @returns {Promise<Outcome>} its value, or the code of its AlvariumError; any other error is thrown
 */
export async function timed(run, tally) {
  const start = performance.now()
  let result = await outcome(run)
  let took = performance.now() - start
  for (let again = 0; again < 2 && took > LONG; again++) {
    const restart = performance.now()
    result = await outcome(run)
    took = Math.min(took, performance.now() - restart)
  }
  tally.slowest = Math.max(tally.slowest, took)
  return result
}

/**
 * Measures a synchronous call in the same way.
 *
 * @template T
 * @param {() => T} run @param {import('./tally.mjs').Tally} tally
 */
export function timedNow(run, tally) {
  let took = Number.POSITIVE_INFINITY
  let result
  for (let turn = 0; turn < 3 && took > LONG; turn++) {
    const start = performance.now()
    result = run()
    took = Math.min(took, performance.now() - start)
  }
  tally.slowest = Math.max(tally.slowest, took)
  return /** @type {T} */ (result)
}

/** @param {() => unknown} run @returns {Promise<Outcome>} */
export async function outcome(run) {
  try {
    return { value: await run() }
  } catch (error) {
    return { code: codeOf(error) }
  }
}

/** Codes about the message. Any other error is a crash, of the core or of the wrapper. */
const VERDICTS = ['MESSAGE_MALFORMED', 'SIGNER_UNKNOWN', 'SIGNATURE_INVALID']

/** @param {unknown} error */
export function codeOf(error) {
  if (error instanceof AlvariumError && VERDICTS.includes(error.code)) return error.code
  throw error
}
