// Compares the independent verifier with ours, in Node, Chromium and Firefox. They must give the same verdict, byte for
// byte, on mutated packs, archives and exports of stores.

import { byTests } from './by-tests.mjs'

/** @param {{ seed: number, count: number }} options */
export function verdicts({ seed, count }) {
  const env = { VERDICTS: `${count}`, VERDICT_SEED: `${seed}` }
  return byTests(['tests/independent/random-verdicts.test.ts'], { env, each: count })
}
