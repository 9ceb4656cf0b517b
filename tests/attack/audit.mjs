// Attacks of a store's database owner on rows below a saved checkpoint: the audit must name each altered row.

import { byTests } from './by-tests.mjs'

/** @param {{ seed: number, count: number }} options */
export function audit({ seed, count }) {
  const env = { STORE_ALTERATIONS: `${count}`, STORE_SEED: `${seed}` }
  return byTests(['tests/store/alterations.test.ts'], { env, each: count })
}
