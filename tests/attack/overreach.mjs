// Attacks with leases that exceed their permissions. Row by row, each case runs next to an honest twin that differs in
// nothing else. All paths of verification must give the same verdict.

import { cbor, verifyBatch, verifyMessage, verifyMessages } from 'alvarium-sdk'
import { pool } from 'alvarium-sdk/pool'
import { received, saidBy } from './leases.mjs'
import { honestCase, messagesOf, newWorld } from './overreach-makes.mjs'
import { ROWS } from './overreach-rows.mjs'
import { Random } from './random.mjs'
import { inRounds } from './tally.mjs'

/** Cases per row and round. */
const EACH = 8
/** The twin of one case in this many is verified too. */
const TWIN = 5

/** @param {{ seed: number, count: number }} options count: the number of cases in all rows */
export async function overreach({ seed, count }) {
  const random = new Random(seed, 18)
  const [world, workers] = [await newWorld(), await pool({ workers: 1 })]
  const round = async (tally) => {
    for (const [row, pairOf] of Object.entries(ROWS)) {
      const pairs = Array.from({ length: EACH }, () => {
        const base = honestCase(random, world)
        return { base, ...pairOf(random, base, world) }
      })
      await Promise.all(pairs.map((pair) => judged(tally, workers, row, pair)))
    }
  }
  return inRounds({ round, close: () => workers.close() }, count)
}

/** Verifies a case alone and by one other path, in rotation. */
async function judged(tally, workers, row, { base, good = {}, bad, told }) {
  const start = performance.now()
  tally.count(row)
  const one = { ...base, ...bad }
  const [alone, ...others] = waysOf(one, messagesOf(one), workers)
  const other = others[tally.inputs % others.length]
  for (const way of [alone, other]) await compared(tally, row, way, told, one)
  if (tally.inputs % TWIN === 0) {
    const honest = { ...base, ...good }
    const [way] = waysOf(honest, messagesOf(honest), workers)
    await compared(tally, `the honest twin of: ${row}`, way, 'ACCEPTED', honest)
  }
  tally.slowest = Math.max(tally.slowest, (performance.now() - start) / EACH)
}

function waysOf(
  { trust, receivedAt },
  { leases, json, cbor: binary = json, batch = json, extracted = json },
  workers,
) {
  const options = { keyring: trust, leases, receivedAt }
  return [
    ['alone', () => verifyMessage(json, options).then((bundle) => [bundle])],
    ['CBOR', () => verifyBatch(binary, { ...options, codec: cbor() })],
    ['a batch', () => verifyBatch(batch, options)],
    ['a pool', () => verifyBatch(json, { ...options, pool: workers })],
    ['taken out', () => verifyMessage(extracted, options).then((bundle) => [bundle])],
    [
      'together',
      () => verifyMessages([json, batch], options).then(([one]) => one.value ?? Promise.reject(one.reason)),
    ],
    ['a subscription', () => received(trust, json, options)],
  ]
}

async function compared(tally, row, [way, verified], expected, input) {
  tally.verdicts++
  const verdict = await verified().then(
    ([bundle]) => (saidBy(bundle).includes(' by ') ? 'ACCEPTED' : 'ACCEPTED without a lease'),
    ({ code }) => code,
  )
  tally.outcome('overreach', verdict)
  if (verdict === expected) return
  const shown = Object.fromEntries(
    Object.entries(input).map(([name, value]) => [name, typeof value === 'object' ? '' : `${value}`]),
  )
  tally.disagreement(`${row}: ${way} says ${verdict}, for ${expected}`, shown)
}
