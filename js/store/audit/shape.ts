import type { Row } from '../database/connection.js'
import type { Session } from '../database/database.js'
import { type Difference, type Findings, placeIn } from './findings.js'

/** Columns that an audit reads, with types as PostgreSQL names them. `?` marks a column that can be NULL. */
const COLUMNS: Readonly<Record<Difference['table'], string>> = {
  head: `beside bigint, classic bigint, data bigint, evidence bigint, leaves bigint, lists bigint, naming uuid, one boolean, pruned bigint, quarantined bigint,
    quarantined_bytes bigint, words bigint`,
  leaf: 'id bytea, seq bigint',
  tile: 'at bigint, hashes bytea, level smallint',
  checkpoint: 'made bigint, note bytea, size bigint',
  evidence: 'digest bytea, message bytea, received bigint?, seq bigint',
  beside:
    'digest bytea, identity bytea, key bytea, kind smallint, message bytea, received bigint?, seq bigint, signer bytea',
  bundle: `action smallint?, at bigint?, datum bigint, evidence bigint, host integer, implied bigint?, inputs bigint[]?, kinds integer, layer integer,
    ok bytea, place integer, previous bigint?, seq bigint, signed_by integer?, signer integer, spelled text?, tags integer`,
  edge: 'child bigint, parent bigint, signed boolean',
  arrival: 'block bigint, earliest bigint?, latest bigint?, unknown bigint',
  datum: 'digest bytea, forgotten bigint?, hash smallint, id bigint, pruned bigint, text bytea?',
  word: 'id integer, word bytea',
  list: 'digest bytea, id integer, words integer[]',
  pruning: 'at bigint, before bigint?, bundles bigint, messages bigint, record bytea, seq bigint',
  pruned: 'first bigint, last bigint, pruning bigint',
  classic: 'record bytea, seq bigint',
}
const TABLES = Object.keys(COLUMNS) as Difference['table'][]

/**
 * Reports what the owner of the database has put between queries and tables, such as views and row-level
 * security, which can show the auditor other rows than readers. @returns true if the tables can be read
 */
export async function auditShape(session: Session, findings: Findings): Promise<boolean> {
  const rows = new Map((await session.query(SHAPE, [`{${TABLES.join()}}`])).map((row) => [row['name'], row]))
  const before = findings.count
  for (const table of TABLES) compareTable(findings, table, rows.get(table))
  const isReadable = findings.count === before
  for (const table of TABLES) compareWriting(findings, table, rows.get(table))
  return isReadable && (await hasOneHead(session, findings))
}

function compareTable(findings: Findings, table: Difference['table'], row: Row | undefined): void {
  const compare = (part: string, expected: string, got: unknown) =>
    findings.compare(placeIn(table, 'all', part), expected, got)
  compare('kind', KINDS['r'] as string, row && (KINDS[String(row['kind'])] ?? row['kind']))
  if (row?.['kind'] !== 'r') return
  compare('columns', COLUMNS[table].replace(/\s+/g, ' '), row['columns'])
  compare('tables that inherit it', 'none', row['children'])
  compare('policies of rows', 'none', row['policies'])
}

/** Reports triggers and rules. They can change rows before they are stored, but do not affect reading. */
function compareWriting(findings: Findings, table: Difference['table'], row: Row | undefined): void {
  if (row?.['kind'] !== 'r') return
  findings.compare(placeIn(table, 'all', 'triggers'), 'none', row['triggers'])
  findings.compare(placeIn(table, 'all', 'rules'), 'none', row['rules'])
}

async function hasOneHead(session: Session, findings: Findings): Promise<boolean> {
  const heads = await session.query('select from alvarium.head limit 2')
  const got = ['no row', 'one row', 'more'][heads.length]
  findings.compare(placeIn('head', 'all', 'rows'), 'one row', got)
  return heads.length === 1
}

/** Meaning of the letters in `pg_class.relkind`. */
const KINDS: Readonly<Record<string, string>> = {
  r: 'a table',
  v: 'a view',
  m: 'a materialized view',
  f: 'a foreign table',
  p: 'a partitioned table',
}

const SHAPE = `
  select class.relname as name, class.relkind as kind,
    (select string_agg(
        attname || ' ' || format_type(atttypid, atttypmod)
        || case when attnotnull and not exists (
            select from pg_constraint where conrelid = class.oid and contype = 'n' and not convalidated and attnum = any(conkey)
          ) then '' else '?' end
        || case when attgenerated = '' then '' else ' generated' end, ', ' order by attname collate "C")
      from pg_attribute where attrelid = class.oid and attnum > 0 and not attisdropped) as columns,
    (select coalesce(string_agg(inhrelid::regclass::text, ', '), 'none') from pg_inherits where inhparent = class.oid)
      as children,
    case when relrowsecurity then 'some' else 'none' end as policies,
    (select coalesce(string_agg(tgname, ', ' order by tgname), 'none') from pg_trigger
      where tgrelid = class.oid and not tgisinternal) as triggers,
    (select coalesce(string_agg(rulename, ', ' order by rulename), 'none') from pg_rewrite
      where ev_class = class.oid) as rules
  from pg_class as class join pg_namespace as space on space.oid = relnamespace
  where nspname = 'alvarium' and relname = any($1::text[])`
