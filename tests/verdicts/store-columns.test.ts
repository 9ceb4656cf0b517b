// @slow: each column of each table is altered, and audited

import { beforeAll, expect, it } from 'vitest'
import { keptStore } from './kept-store.js'

const fixture = keptStore()
const { query, auditAfter } = fixture

/** Columns that no log covers: the database alone vouches for them, as the guide says (Sign the log, and audit it). */
const OF_THE_DATABASE = [
  'evidence.received',
  'beside.received',
  'checkpoint.made',
  'datum.forgotten',
  'head.quarantined',
  'head.quarantined_bytes',
  // A random value, by which stores notice that the database is an older copy.
  'head.naming',
  // Key of the only row.
  'head.one',
]

/** Tables that no audit covers: quarantined messages, and the version of the schema. Small stores have no row of `arrival`: tests/store/received alters these. */
const OUTSIDE = ['arrival', 'quarantine', 'version']

/** Conditions for rows of bundles, and for rows of messages of another SDK. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  bundle: ['action is not null', 'action is null'],
  evidence: [
    'seq in (select evidence from alvarium.bundle where action is not null)',
    'seq in (select evidence from alvarium.bundle where action is null)',
  ],
  leaf: [
    'seq in (select seq from alvarium.bundle where action is not null)',
    'seq in (select seq from alvarium.bundle where action is null)',
    'seq in (select seq from alvarium.classic)',
    'seq in (select seq from alvarium.pruning)',
  ],
  edge: ['signed', 'not signed'],
}

/** A value that a column does not have, by its type. */
const OTHER_VALUES: Readonly<Record<string, (column: string) => string>> = {
  bigint: (column) => `coalesce(${column}, 0) + 1`,
  integer: (column) => `coalesce(${column}, 0) + 1`,
  smallint: (column) => `coalesce(${column}, 0) + 1`,
  bytea: (column) => `coalesce(set_byte(${column}, 0, 255 - get_byte(${column}, 0)), 'another')`,
  text: () => `'2026-11-20T10:00:00Z'`,
  boolean: (column) => `not ${column}`,
  uuid: () => 'gen_random_uuid()',
  'bigint[]': (column) => `coalesce(${column} || 0::bigint, '{0}')`,
  'integer[]': (column) => `${column} || 0`,
}

interface Column {
  readonly table: string
  readonly column: string
  readonly type: string
  readonly where: string
}

async function columns(): Promise<Column[]> {
  const rows = await query(`
    select relname as table, attname as column, format_type(atttypid, atttypmod) as type
    from pg_attribute join pg_class on pg_class.oid = attrelid join pg_namespace on pg_namespace.oid = relnamespace
    where nspname = 'alvarium' and relkind = 'r' and attnum > 0 and not attisdropped order by 1, 2`)
  return rows
    .map((row) => ({ table: String(row['table']), column: String(row['column']), type: String(row['type']) }))
    .filter(({ table }) => !OUTSIDE.includes(table))
    .flatMap((one) => (KINDS[one.table] ?? ['true']).map((where) => ({ ...one, where })))
}

/** Remove the constraints, as an owner can: they would refuse some alterations. An audit does not need them. */
beforeAll(async () => {
  const rows = await query(`
    select conname as name, conrelid::regclass::text as table from pg_constraint
    where connamespace = 'alvarium'::regnamespace and contype in ('p', 'u', 'c')`)
  for (const { name, table } of rows) await query(`alter table ${table} drop constraint ${name}`)
  expect((await fixture.store.audit(fixture.options)).verdict).toBe('proved')
})

it('the verdict "proved" of a store is lost if any column of any table has another value', async () => {
  const all = await columns()
  expect(all.length).toBeGreaterThan(90)
  const still: string[] = []
  for (const { table, column, type, where } of all) {
    const report = await auditAfter(async () => {
      const other = OTHER_VALUES[type]?.(column) ?? expect.fail(`${table}.${column}: another type: ${type}`)
      const one = `ctid = (select min(ctid) from alvarium.${table} where ${where})`
      const altered = await query(
        `update alvarium.${table} set ${column} = ${other} where ${one} returning 1`,
      )
      expect(altered, `${table}, ${where}`).toHaveLength(1)
    })
    if (report.verdict !== 'different') still.push(`${table}.${column}`)
  }
  expect([...new Set(still)].sort()).toEqual([...OF_THE_DATABASE].sort())
}, 600_000)

it('the verdict "proved" of a store is lost if any column of any table has no value', async () => {
  const still: string[] = []
  for (const { table, column, where } of await columns()) {
    let isAltered = false
    const report = await auditAfter(async () => {
      await query(`alter table alvarium.${table} alter ${column} drop not null`)
      const set = `set ${column} = null where (${where}) and ${column} is not null returning 1`
      isAltered = (await query(`update alvarium.${table} ${set}`)).length > 0
    })
    if (isAltered && report.verdict !== 'different') still.push(`${table}.${column}`)
  }
  expect(still).toEqual(['datum.forgotten'])
}, 600_000)

it('the verdict "proved" of a store is lost if any row of any table is removed or repeated', async () => {
  const still: string[] = []
  const tables = new Set((await columns()).map(({ table }) => table))
  for (const table of tables) {
    // The log vouches only for the kept checkpoint, not for others.
    const where = table === 'checkpoint' ? 'where size = (select leaves from alvarium.head)' : ''
    const rows = await query(`select ctid::text as at from alvarium.${table} ${where}`)
    expect(rows.length, table).toBeGreaterThan(0)
    for (const { at } of rows) {
      const gone = await auditAfter(`delete from alvarium.${table} where ctid = '${at}'`)
      if (gone.verdict !== 'different') still.push(`${table} ${at}, gone`)
    }
    const [{ at: first } = {}] = rows
    const twice = await auditAfter(
      `insert into alvarium.${table} select * from alvarium.${table} where ctid = '${first}'`,
    )
    if (twice.verdict !== 'different') still.push(`${table}, twice`)
  }
  expect(still).toEqual([])
}, 600_000)
