// Operations of the crate, one row each, for bench/suites/curve.mjs in Node and for browsers.mjs. This file imports
// nothing, because browsers.mjs runs it in a page.

/** Number of signatures that are made or verified in one group. */
export const BY = { sign: 16, verify: 64 }

/**
 * @param {*} Pair of the harness
 * @param {Uint8Array} seed 32 bytes
 * @param {Uint8Array} message
 * @returns {Record<string, { run: () => unknown, units?: number }>}
 */
export function rowsOf(Pair, seed, message) {
  const pair = new Pair(seed)
  const signature = pair.sign(message)
  return {
    sign: { run: () => pair.sign(message) },
    [`sign by ${BY.sign}`]: { run: () => pair.sign_many(message, BY.sign), units: BY.sign },
    'sign and check': { run: () => pair.sign_checked(message) },
    'verify, table': { run: () => pair.verify_with_table(message, signature) },
    [`verify by ${BY.verify}, table`]: {
      run: () => pair.verify_group(message, signature, BY.verify),
      units: BY.verify,
    },
    'verify, no table': { run: () => pair.verify(message, signature) },
    'read a public key': { run: () => pair.read_key() },
    'make a table': { run: () => pair.make_table() },
  }
}
