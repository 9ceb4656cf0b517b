// Random damage to stores of an outbox. Each stored message must be delivered or reported to be gone, each time.
//
//   node tests/damage/main.mjs                    some of each, in less than a minute
//   node tests/damage/main.mjs --full             1,000 of them
//   node tests/damage/main.mjs --count 50 --seed 7 --only 'cut off'
//
// The table has a line for each fault: stores, messages delivered, messages reported to be gone, the slowest opening. Each
// failure is shown with its seed. Exit code 1: there is a failure.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { FAULTS } from './faults.mjs'
import { judged } from './judge.mjs'
import { randomFrom } from './random.mjs'
import { KINDS, storeOf } from './stores.mjs'

const { values } = parseArgs({
  options: {
    full: { type: 'boolean', default: false },
    count: { type: 'string' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
  },
})
const count = Number(values.count ?? (values.full ? 1000 : 66))
const names = Object.keys(FAULTS).filter((name) => !values.only || name === values.only)

const root = mkdtempSync(join(tmpdir(), 'alvarium-damage-'))
const rows = new Map(
  names.map((name) => [name, { stores: 0, delivered: 0, told: 0, again: 0, slowestMs: 0, failures: 0 }]),
)
const began = performance.now()
try {
  for (let round = 0; round < count; round++) {
    const seed = Number(values.seed) * 100_000 + round
    const random = randomFrom(seed)
    const name = names[round % names.length] ?? ''
    const kind = KINDS[Math.floor(round / names.length) % KINDS.length] ?? KINDS[0]
    const row = rows.get(name)
    const fault = FAULTS[name]
    if (!row || !fault || !kind) throw new Error('no such fault')
    const folder = join(root, `${round}`)
    await storeOf(kind, join(root, 'originals'), folder)
    const what = await fault(folder, random)
    const { delivered, told, again, openedMs, faults } = await judged(folder, kind.settled)
    row.stores++
    row.delivered += delivered
    row.told += told
    row.again += again
    row.slowestMs = Math.max(row.slowestMs, Math.round(openedMs))
    if (faults.length > 0) {
      row.failures++
      console.log(`✗ round ${round} (--seed ${values.seed}), ${kind.name}, ${name}: ${what}`)
      for (const text of faults) console.log(`    ${text}`)
    }
    rmSync(folder, { recursive: true, force: true })
  }
} finally {
  rmSync(root, { recursive: true, force: true })
}
console.table(Object.fromEntries(rows))
const sum = [...rows.values()].reduce(
  (all, row) => ({ stores: all.stores + row.stores, failures: all.failures + row.failures }),
  { stores: 0, failures: 0 },
)
console.log(
  `${sum.stores} damaged stores in ${Math.round((performance.now() - began) / 1000)} s, ${sum.failures} failures`,
)
process.exitCode = sum.failures > 0 ? 1 : 0
