// Does an altered message ever say what nobody signed, is it told the same by every way, and does anything break?

import { classicFuzzer } from './fuzz-classic.mjs'
import { oursFuzzer } from './fuzz-ours.mjs'
import { Random } from './random.mjs'
import { progress, Tally } from './tally.mjs'

/** How many of each there are in a round: a classic one takes as long as its annotations have keys to try. */
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
