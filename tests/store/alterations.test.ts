// @slow

import { describe, expect, it } from 'vitest'
import { randomAlteration, randomFrom, randomPruningAlteration } from '../support/alterations-of-store.js'
import { onOneDatabase, type TestDatabase } from './databases.js'
import { filled, pruned } from './filled.js'

/** Number of alterations; `npm run attack` makes 10,000. */
const COUNT = Number(process.env['STORE_ALTERATIONS'] ?? 80)
const SEED = Number(process.env['STORE_SEED'] ?? 28)

describe('an audit against an earlier checkpoint', () => {
  onOneDatabase((database) => {
    it.each([
      ['filled', filled, randomAlteration],
      ['pruned', pruned, randomPruningAlteration],
    ] as const)(
      'names each altered row of a %s database, until the alterations are undone',
      async (_, fill, alteration) => {
        const store = await fill(database)
        const checkpoint = (await store.checkpoint()).note
        const random = randomFrom(SEED)
        const before = await rowsIn(database)
        const unnamed: unknown[] = []
        for (let done = 0; done < COUNT; ) {
          await database.query('begin')
          const statement = await alteration(database, random)
          const altered = (await isTaken(database, statement))
            ? differing(before, await rowsIn(database))
            : []
          if (altered.length > 0) {
            done++
            const { differences } = await store.audit({ checkpoint })
            const named = new Set(differences.map(({ table, row }) => `${table} ${row}`))
            const left = altered.filter((row) => !named.has(row))
            if (left.length > 0) unnamed.push({ statement, altered, left, named: [...named] })
          }
          await database.query('rollback')
        }
        expect(unnamed).toEqual([])
        expect((await store.audit({ checkpoint })).verdict).toBe('proved')
      },
      3_600_000,
    )
  })
})

/** Returns whether the database accepts the statements: it refuses some alterations. */
async function isTaken(database: TestDatabase, statements: string): Promise<boolean> {
  try {
    for (const statement of statements.split(';\n')) await database.query(statement)
    return true
  } catch {
    return false
  }
}

/** Returns all rows that an audit checks, by their names in its findings. */
async function rowsIn(database: TestDatabase): Promise<Map<string, string>> {
  const rows = await database.query(ALL)
  return new Map(rows.map(({ name, text }) => [String(name), String(text)]))
}

/** Returns the names of rows that differ, or are in only one of the two. */
function differing(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter(
    (name) => before.get(name) !== after.get(name),
  )
}

const KEYS = {
  leaf: 'seq',
  tile: "level || ' ' || at",
  checkpoint: 'size',
  evidence: 'seq',
  beside: 'seq',
  bundle: 'seq',
  datum: 'id',
  word: 'id',
  list: 'id',
  pruning: 'seq',
  pruned: 'first',
  classic: 'seq',
}
const ALL = [
  ...Object.entries(KEYS).map(
    ([table, key]) => `select '${table} ' || ${key} as name, t::text as text from alvarium.${table} as t`,
  ),
  // One signer may have signed an edge that another implied.
  "select 'edge ' || child || ' ' || parent, string_agg(signed::text, ' ' order by signed) from alvarium.edge group by 1",
  ...['leaves', 'evidence', 'beside', 'data', 'words', 'lists', 'classic'].map(
    (count) => `select 'head ${count}', ${count}::text from alvarium.head`,
  ),
].join(' union all ')
