// Child process of quick.mjs: measures all rows for some seconds, and prints the results as JSON.

import { withKeys } from './keys.mjs'
import { blockOf, openRows } from './quick-rows.mjs'

/** @typedef {import('./quick-rows.mjs').OpenRow} OpenRow */

/** Minimum number of rounds, even if they take longer than the given seconds. */
const MIN_ROUNDS = 6

const end = performance.now() + 1000 * Number(process.argv[2])
await withKeys(async (keys) => {
  const rows = await openRows(keys)
  for (let round = 0; round < MIN_ROUNDS || performance.now() < end; round++) {
    for (const row of rows) await measure(row, round)
  }
  await Promise.all(rows.flatMap(({ contenders }) => contenders.map(({ close }) => close?.())))
  const measured = rows.map(({ label, contenders }) => ({
    label,
    contenders: contenders.map(({ name, micros }) => ({ name, micros })),
  }))
  process.stdout.write(JSON.stringify(measured))
})

/**
 * Runs a block of each contender. Each round starts with a different contender.
 *
 * @param {OpenRow} row
 * @param {number} round
 */
async function measure({ contenders }, round) {
  for (let at = 0; at < contenders.length; at++) {
    const contender = contenders[(at + round) % contenders.length]
    contender?.micros.push(await blockOf(contender))
  }
}
