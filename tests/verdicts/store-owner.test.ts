import { keyOf } from 'alvarium-sdk'
import type { AuditReport } from 'alvarium-sdk/store'
import { describe, expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { appendPruning } from '../support/owner-of-store.js'
import { keptStore } from './kept-store.js'

const fixture = keptStore()
const { query, auditAfter } = fixture

const rowNames = ({ differences }: AuditReport) => differences.map(({ table, row }) => `${table} ${row}`)

async function datumOf(payload: string): Promise<number> {
  const rows = await query('select id from alvarium.datum where digest = $1', [
    Buffer.from(keyOf(utf8(payload)), 'hex'),
  ])
  return Number(rows[0]?.['id'])
}

/** A message of the other SDK: its number, and its annotations as written. */
interface ClassicRow {
  readonly seq: number
  readonly items: readonly string[]
}

/** Reads the messages of the other SDK: about A, about B, which was made from A, and about C. */
async function classicRows(): Promise<readonly [ClassicRow, ClassicRow, ClassicRow]> {
  const rows = await query(
    `select seq, convert_from(message, 'UTF8') as text from alvarium.evidence
     where seq in (select evidence from alvarium.bundle where action is null) order by seq`,
  )
  const found = rows.map(({ seq, text }): ClassicRow => {
    const { content } = JSON.parse(String(text))
    const list = Buffer.from(content, 'base64').toString().slice('{"items":['.length, -2)
    return { seq: Number(seq), items: list.split(/(?<=\}),/) }
  })
  return found as [ClassicRow, ClassicRow, ClassicRow]
}

/** Replaces a message, with a fitting digest. */
async function putMessage(seq: number, action: string, items: readonly string[]): Promise<void> {
  const content = Buffer.from(`{"items":[${items.join(',')}]}`).toString('base64')
  const message = utf8(JSON.stringify({ action, messageType: 'contracts.AnnotationList', content }))
  await query('update alvarium.evidence set message = $2, digest = sha256($2) where seq = $1', [seq, message])
}

describe('an audit of a database that its owner has altered', () => {
  describe('after changes to messages of another SDK', () => {
    // claim: threats-93
    it('detects that a mutate was turned into a create by removing the inputs of its payload', async () => {
      const report = await auditAfter(async () => {
        const [, mutate] = await classicRows()
        await putMessage(mutate.seq, 'create', mutate.items)
        const b = await datumOf('B')
        await query('update alvarium.bundle set implied = null where datum = $1', [b])
        await query('delete from alvarium.edge where child = $1', [b])
      })
      expect(report.verdict).toBe('different')
    })

    it('detects that two messages were merged into one, with a new lineage edge between their payloads', async () => {
      const report = await auditAfter(async () => {
        const [a, , c] = await classicRows()
        await putMessage(c.seq, 'mutate', [a.items[0] as string, ...c.items])
        const [parent, child] = [await datumOf('A'), await datumOf('C')]
        await query('update alvarium.bundle set place = place + 1, implied = $2 where datum = $1', [
          child,
          parent,
        ])
        await query('insert into alvarium.edge values ($1, $2, false)', [child, parent])
      })
      expect(report.verdict).toBe('different')
    })

    it('detects an omitted annotation that the store also has from another message', async () => {
      const report = await auditAfter(async () => {
        const [a, b] = await classicRows()
        const items = [...b.items, ...a.items]
        await putMessage(b.seq, 'mutate', items)
        await query('update alvarium.bundle set evidence = $1, place = place + $3 where evidence = $2', [
          b.seq,
          a.seq,
          b.items.length,
        ])
        await query('delete from alvarium.evidence where seq = $1', [a.seq])
        await query('update alvarium.evidence set seq = -seq where seq > $1', [a.seq])
        await query('update alvarium.evidence set seq = -seq - 1 where seq < 0')
        await query('update alvarium.bundle set evidence = evidence - 1 where evidence > $1', [a.seq])
        await query('update alvarium.head set evidence = evidence - 1')
      })
      expect(report.verdict).toBe('different')
    })

    it('detects a rewritten message whose log entry was replaced by a pruning', async () => {
      const report = await auditAfter(async () => {
        const [, mutate] = await classicRows()
        const [{ seq } = {}] = await query(
          'select seq::integer as seq from alvarium.classic order by seq offset 1 limit 1',
        )
        await query('delete from alvarium.classic where seq = $1', [seq])
        await query('update alvarium.head set classic = classic - 1, pruned = pruned + 1')
        await query('update alvarium.datum set pruned = pruned + 1 where id = 0')
        const ranges = [[Number(seq), Number(seq)]] as const
        await appendPruning({ query } as never, { at: 5, messages: 0, ranges, left: [[], [], []] })
        await putMessage(mutate.seq, 'create', mutate.items)
        const b = await datumOf('B')
        await query('update alvarium.bundle set implied = null where datum = $1', [b])
        await query('delete from alvarium.edge where child = $1', [b])
      })
      expect(report.differences).toMatchObject([
        { table: 'bundle', what: 'message', got: 'nothing' },
        { table: 'bundle', what: 'message', got: 'nothing' },
      ])
    })

    it('detects that a message was replaced by another JSON spelling of it, with the same annotations', async () => {
      const report = await auditAfter(
        `update alvarium.evidence set message = message || ' ', digest = sha256(message || ' ')
         where seq in (select evidence from alvarium.bundle where action is null)`,
      )
      expect(report.verdict).toBe('different')
    })

    it('detects that an annotation of an unknown signer was added to a message', async () => {
      const report = await auditAfter(async () => {
        const [a] = await classicRows()
        const stranger = (a.items[0] as string).replace(/"signature":"../, '"signature":"00')
        await putMessage(a.seq, 'create', [...a.items, stranger])
      })
      expect(report.verdict).toBe('different')
    })

    it('detects that the order of the annotations in a message was reversed', async () => {
      const report = await auditAfter(async () => {
        const [a] = await classicRows()
        await putMessage(a.seq, 'create', [...a.items].reverse())
        await query('update alvarium.bundle set place = 1 - place where evidence = $1', [a.seq])
      })
      expect(report.verdict).toBe('different')
    })
  })

  it('detects that the messages of two bundles were swapped', async () => {
    const [one, other] = await query(
      'select seq, evidence from alvarium.bundle where action is not null limit 2',
    )
    const report = await auditAfter([
      `update alvarium.bundle set evidence = ${other?.['evidence']} where seq = ${one?.['seq']}`,
      `update alvarium.bundle set evidence = ${one?.['evidence']} where seq = ${other?.['seq']}`,
    ])
    expect(rowNames(report)).toEqual(
      expect.arrayContaining([`bundle ${one?.['seq']}`, `bundle ${other?.['seq']}`]),
    )
  })

  it('detects that all columns of two bundles were swapped', async () => {
    const [one, other] = (
      await query('select seq from alvarium.bundle where action is not null limit 2')
    ).map(({ seq }) => Number(seq))
    const report = await auditAfter([
      `update alvarium.bundle set seq = -1 where seq = ${one}`,
      `update alvarium.bundle set seq = ${one} where seq = ${other}`,
      `update alvarium.bundle set seq = ${other} where seq = -1`,
    ])
    expect(rowNames(report)).toEqual(expect.arrayContaining([`bundle ${one}`, `bundle ${other}`]))
  })

  it('detects that a lineage edge was added, removed or falsely marked as signed', async () => {
    for (const statement of [
      'update alvarium.edge set signed = true where not signed',
      'insert into alvarium.edge select parent, child, signed from alvarium.edge limit 1',
      'delete from alvarium.edge where not signed',
    ]) {
      expect(
        (await auditAfter(statement)).differences.map(({ table }) => table),
        statement,
      ).toContain('edge')
    }
  })

  it('detects that a message was stored under two numbers, with its bundles divided among them', async () => {
    const report = await auditAfter([
      `insert into alvarium.evidence select head.evidence, received, digest, message from alvarium.evidence cross join alvarium.head
       where seq in (select evidence from alvarium.bundle where place = 2 and action is not null)`,
      'update alvarium.bundle set evidence = (select evidence from alvarium.head) where place = 2 and action is not null',
      'update alvarium.head set evidence = evidence + 1',
    ])
    expect(report.verdict).toBe('different')
  })

  it('detects columns whose type was changed', async () => {
    for (const statement of [
      'alter table alvarium.bundle alter host type text',
      'alter table alvarium.leaf alter id type text using encode(id, $$hex$$)',
      'alter table alvarium.bundle alter inputs type text[] using null',
    ]) {
      expect((await auditAfter(statement)).verdict, statement).toBe('different')
    }
  })

  it('detects an array of inputs with another lower bound, which would change the answers of queries', async () => {
    const report = await auditAfter(
      `update alvarium.bundle set inputs = ('[0:' || cardinality(inputs) - 1 || ']=' || inputs::text)::bigint[] where inputs is not null`,
    )
    expect(report.verdict).toBe('different')
  })

  it('detects that the names of two hosts were swapped', async () => {
    const report = await auditAfter([
      `update alvarium.word set word = 'x' where word = 'edge-7'`,
      `update alvarium.word set word = 'edge-7' where word = 'edge-8'`,
      `update alvarium.word set word = 'edge-8' where word = 'x'`,
    ])
    expect(report.differences.map(({ table }) => table)).toContain('word')
  })

  it('detects that the counters of row numbers were lowered, so that the next message would get used numbers', async () => {
    for (const column of ['leaves', 'evidence', 'data', 'words', 'lists', 'beside']) {
      const report = await auditAfter(`update alvarium.head set ${column} = ${column} - 1`)
      expect(rowNames(report), column).toContain(`head ${column}`)
    }
  })

  it('detects that a tile was altered, removed or added', async () => {
    for (const statement of [
      'update alvarium.tile set hashes = set_byte(hashes, 32, 255 - get_byte(hashes, 32))',
      'delete from alvarium.tile',
      'insert into alvarium.tile select level + 1, at, hashes from alvarium.tile',
    ]) {
      expect(
        (await auditAfter(statement)).differences.map(({ table }) => table),
        statement,
      ).toContain('tile')
    }
  })

  // claim: threats-96
  it('detects a planted payload, text or list that no bundle refers to', async () => {
    for (const [table, statement] of [
      ['datum', `insert into alvarium.datum select data, 3, sha256('planted'), null, 0 from alvarium.head`],
      ['word', `insert into alvarium.word select words, 'planted' from alvarium.head`],
      ['list', `insert into alvarium.list select lists, sha256('planted'), '{0}' from alvarium.head`],
    ]) {
      const column = table === 'datum' ? 'data' : `${table}s`
      const report = await auditAfter([
        statement as string,
        `update alvarium.head set ${column} = ${column} + 1`,
      ])
      expect(new Set(report.differences.map((one) => one.table)), table).toEqual(new Set([table]))
    }
  })

  it('detects a text that was added to a payload of which the store had only the digest', async () => {
    const report = await auditAfter(
      `update alvarium.datum set text = 'another' where id = (select min(datum) from alvarium.bundle where action is not null)`,
    )
    expect(report.differences).toMatchObject([{ table: 'datum', what: 'name' }])
  })

  describe('with objects that falsify queries', () => {
    it('detects that a table was replaced by a view that shows genuine rows only to the auditor', async () => {
      for (const table of ['bundle', 'leaf', 'word', 'datum', 'edge', 'evidence']) {
        const report = await auditAfter([
          `alter table alvarium.${table} rename to hidden`,
          `create view alvarium.${table} as select * from alvarium.hidden`,
        ])
        expect(rowNames(report), table).toContainEqual(expect.stringContaining(`${table} `))
      }
    })

    it('detects that a row security policy hides rows from a role', async () => {
      const report = await auditAfter([
        `alter table alvarium.bundle enable row level security`,
        'create policy hiding on alvarium.bundle using (current_user <> $$auditor$$)',
      ])
      expect(rowNames(report)).toContainEqual(expect.stringContaining('bundle '))
    })

    it('detects that rows and their log entries are hidden from a role', async () => {
      const report = await auditAfter([
        'create role auditor',
        'grant usage on schema alvarium to auditor',
        'grant select on all tables in schema alvarium to auditor',
        'alter table alvarium.edge enable row level security',
        'create policy hiding on alvarium.edge using (signed)',
        'set local role auditor',
      ])
      expect(report.verdict).toBe('different')
    })

    it('detects a rule or a trigger that discards inserted rows', async () => {
      for (const statement of [
        'create rule nothing as on insert to alvarium.bundle do instead nothing',
        `create trigger nothing before insert on alvarium.bundle for each row execute function suppress_redundant_updates_trigger()`,
      ]) {
        expect(rowNames(await auditAfter(statement)), statement).toContainEqual(
          expect.stringContaining('bundle '),
        )
      }
    })

    it('detects rows that a table adds by inheritance', async () => {
      const report = await auditAfter([
        'create table alvarium.more () inherits (alvarium.edge)',
        'insert into alvarium.more values (1, 2, true)',
      ])
      expect(report.verdict).toBe('different')
    })

    it('detects a column that is computed when it is read', async () => {
      const report = await auditAfter([
        'alter table alvarium.bundle drop column place',
        'alter table alvarium.bundle add column place integer generated always as (0) stored',
      ])
      expect(report.verdict).toBe('different')
    })

    // claim: threats-95
    it('detects a duplicate bundle, even if functions shadow those of PostgreSQL', async () => {
      const report = await auditAfter([
        'create schema evil',
        'create function evil.once(bigint) returns bigint language sql as $$ select case when $1 = 2 then 1 else $1 end $$',
        `create aggregate evil.count(*) (sfunc = int8inc, stype = bigint, initcond = '0', finalfunc = evil.once)`,
        'alter table alvarium.bundle drop constraint bundle_pkey',
        'insert into alvarium.bundle select * from alvarium.bundle limit 1',
        'set local search_path = evil, pg_catalog',
      ])
      expect(report.differences).toMatchObject([{ table: 'bundle', what: 'seq', got: 'more' }])
    })
  })
})
