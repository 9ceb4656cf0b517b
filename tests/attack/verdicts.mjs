// Do the independent verifier and ours, in Node, Chromium and Firefox, say the same of mutated packs, archives and exports of stores, byte for byte?

import { byTests } from './by-tests.mjs'

/** @param {{ seed: number, count: number }} options */
export function verdicts({ seed, count }) {
  const env = { VERDICTS: `${count}`, VERDICT_SEED: `${seed}` }
  return byTests(['tests/independent/random-verdicts.test.ts'], { env, each: count })
}
