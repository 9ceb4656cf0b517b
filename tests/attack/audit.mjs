// What the owner of a store's database may do to it below a checkpoint that somebody has kept: each altered row must be named.

import { byTests } from './by-tests.mjs'

/** @param {{ seed: number, count: number }} options */
export function audit({ seed, count }) {
  const env = { STORE_ALTERATIONS: `${count}`, STORE_SEED: `${seed}` }
  return byTests(['tests/store/alterations.test.ts'], { env, each: count })
}
