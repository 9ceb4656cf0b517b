// Checks that an altered message never verifies with unsigned content, has the same verdict on every path, and crashes
// nothing.

import { classicFuzzer } from './fuzz-classic.mjs'
import { oursFuzzer } from './fuzz-ours.mjs'
import { Random } from './random.mjs'
import { progress, Tally } from './tally.mjs'

/** Messages of each encoding in a round. A classic one takes long: every key is tried for each annotation. */
const ROUND = { json: 54, cbor: 42, classic: 24 }

/** @param {{ seed: number, count: number }} options */
export async function messages({ seed, count }) {
  const random = new Random(seed, 2)
  const tally = new Tally()
  const stop = progress(tally, count)
  const ours = await oursFuzzer(random, tally)
  const classic = await classicFuzzer(random, tally)
  while (tally.inputs < count) {
    await ours.json(ROUND.json)
    await ours.cbor(ROUND.cbor)
    await classic(ROUND.classic)
  }
  stop()
  return tally.report
}
