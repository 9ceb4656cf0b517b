import { expected } from '../foundation/base/errors.js'
import type { Database, Session } from './database/database.js'
import { addBlocks, BLOCK } from './ingest/arrivals.js'

/**
 * Steps of the schema, in order. A published step never changes. Each is one transaction.
 *
 * Messages in `evidence` and `beside` can be verified again; everything else is derived from them, and can be made again at any time. There are
 * no sequences: they waste numbers when rows turn out to be known. `head` has the numbers, and is locked while rows are added.
 */
const MIGRATIONS: readonly (readonly string[])[] = [
  [
    `create table alvarium.head (
      one boolean primary key default true check (one),
      leaves bigint not null default 0,
      evidence bigint not null default 0,
      data bigint not null default 0,
      words bigint not null default 0,
      lists bigint not null default 0,
      quarantined bigint not null default 0,
      quarantined_bytes bigint not null default 0
    )`,
    'insert into alvarium.head default values',
    // Entries of the log: entry `seq` is this id. It stays when its bundle is pruned.
    'create table alvarium.leaf (seq bigint primary key, id bytea not null unique)',
    // C2SP tlog-tiles: full tiles only. The rest is computed from the leaves.
    `create table alvarium.tile (
      level smallint not null, at bigint not null, hashes bytea not null, primary key (level, at)
    )`,
    'create table alvarium.checkpoint (size bigint primary key, note bytea not null, made bigint not null)',
    `create table alvarium.evidence (
      seq bigint primary key, received bigint, digest bytea not null unique, message bytea not null
    )`,
    // lz4 takes a third of the time of PostgreSQL's own compression, in servers that have it.
    `do $$ begin alter table alvarium.evidence alter message set compression lz4;
     exception when feature_not_supported then null; end $$`,
    // A payload's name is hash and key. Texts, which are keys by the hash none, have a digest here too: they can be too long for an index.
    `create table alvarium.datum (
      id bigint primary key, hash smallint not null, digest bytea not null, text bytea, unique (hash, digest)
    )`,
    // Bytes in UTF-8, because a text may have U+0000 in it.
    'create table alvarium.word (id integer primary key, word bytea not null unique)',
    'create table alvarium.list (id integer primary key, digest bytea not null unique, words integer[] not null)',
    'create index list_words on alvarium.list using gin (words)',
    `create table alvarium.bundle (
      seq bigint primary key, evidence bigint not null, datum bigint not null, previous bigint, at bigint,
      signer integer not null, signed_by integer, host integer not null, layer integer not null,
      kinds integer not null, tags integer not null,
      place integer not null, action smallint, ok bytea not null, spelled text
    )`,
    'create index bundle_datum on alvarium.bundle (datum, seq)',
    'create index bundle_signer on alvarium.bundle (signer, seq)',
    'create index bundle_signed_by on alvarium.bundle (signed_by, seq) where signed_by is not null',
    'create index bundle_host on alvarium.bundle (host, seq)',
    'create index bundle_kinds on alvarium.bundle (kinds, seq)',
    'create index bundle_tags on alvarium.bundle (tags, seq)',
    'create index bundle_at on alvarium.bundle using brin (at)',
    `create table alvarium.edge (
      child bigint not null, parent bigint not null, signed boolean not null, primary key (child, parent, signed)
    )`,
    'create index edge_parent on alvarium.edge (parent, child, signed)',
    `create table alvarium.quarantine (
      seq bigint primary key, received bigint, since bigint not null, size integer not null,
      code text not null, reason text not null, digest bytea not null unique, message bytea not null
    )`,
  ],
  // Inputs of a bundle/2, in their order: numbers of payloads, and of sets, which are in the same table.
  ['alter table alvarium.bundle add column inputs bigint[]'],
  [
    // The payload that a message of another SDK implies: each edge has a bundle that states it, and is removed with the last of them.
    'alter table alvarium.bundle add column implied bigint',
    `update alvarium.bundle set implied = edge.parent from alvarium.edge
     where edge.child = bundle.datum and not edge.signed and bundle.action is null`,
    // Bundles by message: the numbers grow with the table, so a block's smallest and greatest are enough.
    'create index bundle_evidence on alvarium.bundle using brin (evidence) with (autosummarize = on)',
    // Prunings with their times and ranges: any other missing entry was removed by another program.
    `create table alvarium.pruning (
      id bigint primary key, at bigint not null, before bigint, bundles bigint not null, messages bigint not null
    )`,
    'create table alvarium.pruned (first bigint primary key, last bigint not null, pruning bigint not null)',
    'alter table alvarium.head add column pruned bigint not null default 0',
    'alter table alvarium.datum add column pruned bigint not null default 0',
  ],
  // For a policy that stacks layers: the newest bundle of a layer with a tag. By the tag alone, all newer ones of other layers were read first.
  ['create index bundle_stack on alvarium.bundle (tags, layer, seq)'],
  [
    // Leases and checkpoints of signers, which they publish along with their bundles, by their signed bytes: a third party can change the bytes
    // around them.
    `create table alvarium.beside (
      seq bigint primary key, kind smallint not null, signer bytea not null, received bigint,
      identity bytea not null unique, digest bytea not null, message bytea not null
    )`,
    'create index beside_signer on alvarium.beside (kind, signer, seq)',
    `do $$ begin alter table alvarium.beside alter message set compression lz4;
     exception when feature_not_supported then null; end $$`,
    'alter table alvarium.head add column beside bigint not null default 0',
  ],
  [
    // A pruning is an entry of the log, by the id of its record (crate/FORMAT.md). Earlier prunings are recorded now, and marked so.
    'select from alvarium.head for update',
    'alter table alvarium.pruning add column seq bigint, add column record bytea',
    `update alvarium.pruning set seq = leaves + place - 1
     from alvarium.head, (select id, row_number() over (order by id) as place from alvarium.pruning) as numbered
     where numbered.id = pruning.id`,
    'update alvarium.pruned set pruning = pruning.seq from alvarium.pruning where pruning.id = pruned.pruning',
    `update alvarium.pruning
     set record = convert_to('alvarium.Pruning/1' || chr(10), 'UTF8') || '\\x01'::bytea || int8send(pruning.at)
       || case when pruning.before is null then '\\x00'::bytea else '\\x01'::bytea || int8send(pruning.before) end
       || int8send(pruning.messages) || int4send(count::integer) || ranges
     from (
       select seq, count(first) as count,
         coalesce(string_agg(int8send(first) || int8send(last), ''::bytea order by first), ''::bytea) as ranges
       from alvarium.pruning left join alvarium.pruned on pruned.pruning = seq group by seq
     ) as recorded where recorded.seq = pruning.seq`,
    "insert into alvarium.leaf (seq, id) select seq, sha256('\\x00'::bytea || record) from alvarium.pruning",
    'update alvarium.head set leaves = leaves + (select count(*) from alvarium.pruning)',
    `alter table alvarium.pruning drop column id, alter seq set not null, alter record set not null,
     add primary key (seq)`,
  ],
  // A transaction that adds a message holds the lock of `head`, and has looked the message up: a unique index of whole digests adds nothing.
  [
    'create index evidence_digest on alvarium.evidence using hash (digest)',
    // Last, because from here on nobody can read the table until the step is done.
    'alter table alvarium.evidence drop constraint evidence_digest_key',
  ],
  // A message of one bundle is new if the bundle is, so it is not looked up. No valid message that begins in this way has more than one.
  [
    `create index evidence_batches on alvarium.evidence using hash (digest)
     where substring(message from 1 for 75) not like '{"action":"%","messageType":"alvarium.AnnotationBundle/1","content":{%'`,
    'drop index alvarium.evidence_digest',
  ],
  [
    // A message of another SDK is an entry of the log, by the id of its record (crate/FORMAT.md). Earlier messages are recorded now, as `isEarlier`.
    'select from alvarium.head for update',
    'create table alvarium.classic (seq bigint primary key, record bytea not null)',
    'alter table alvarium.head add column classic bigint not null default 0',
    `insert into alvarium.classic (seq, record)
     select leaves + row_number() over (order by said.evidence) - 1,
       convert_to('alvarium.ClassicMessage/1' || chr(10), 'UTF8') || '\\x01'::bytea || sha256(message) || ranges
     from alvarium.head, (
       select evidence, int4send(count(*)::integer)
         || string_agg(int8send(first) || int8send(last), ''::bytea order by first) as ranges
       from (
         select evidence, min(seq) as first, max(seq) as last from (
           select evidence, seq, seq - row_number() over (partition by evidence order by seq) as island
           from alvarium.bundle where action is null
         ) as numbered group by evidence, island
       ) as ranges group by evidence
     ) as said join alvarium.evidence on evidence.seq = said.evidence`,
    "insert into alvarium.leaf (seq, id) select seq, sha256('\\x00'::bytea || record) from alvarium.classic",
    `update alvarium.head set leaves = leaves + count, classic = count
     from (select count(*) as count from alvarium.classic) as recorded`,
    // Rows that earlier prunings have left are recorded, too. From now on, the record of each pruning names them.
    `insert into alvarium.pruning (seq, at, bundles, messages, record)
     select leaves, at, 0, 0, convert_to('alvarium.Pruning/2' || chr(10), 'UTF8') || '\\x01'::bytea || int8send(at)
       || '\\x00'::bytea || int8send(0) || int4send(0)
       || ${rangesOfIds(`
         select id from alvarium.word except (
           select signer from alvarium.bundle union all select signed_by from alvarium.bundle
           union all select host from alvarium.bundle union all select layer from alvarium.bundle
           union all select unnest(words) from alvarium.list
         )`)}
       || ${rangesOfIds(`
         select id from alvarium.list except (
           select kinds from alvarium.bundle union all select tags from alvarium.bundle
         )`)}
       || ${rangesOfIds(`
         select id from alvarium.datum except (
           select datum from alvarium.bundle union all select previous from alvarium.bundle
           union all select implied from alvarium.bundle union all select unnest(inputs) from alvarium.bundle
           union all select parent from alvarium.edge
         )`)}
     from alvarium.head, (select max(at) as at from alvarium.pruning) as last where at is not null`,
    `insert into alvarium.leaf (seq, id)
     select leaves, sha256('\\x00'::bytea || record) from alvarium.head join alvarium.pruning on pruning.seq = leaves`,
    'update alvarium.head set leaves = leaves + 1 where exists (select from alvarium.pruning where pruning.seq = leaves)',
  ],
  // Each transaction that adds words or lists changes it: by it, a process knows that its cached numbers are of this database.
  ['alter table alvarium.head add column naming uuid not null default gen_random_uuid()'],
  [
    // A run belongs to the public key that signs its checkpoints, whichever issuer's lease accepted them.
    'alter table alvarium.beside add column key bytea',
    // Where a message was altered and has no key, take the signer: the audit reports it.
    `update alvarium.beside set key = coalesce(
       case when kind = 0 then substring(sha256(decode(
         substring(encode(substring(message from 1 for 1024), 'escape') from '"subject":"((?:[0-9a-f]{2})+)"'), 'hex'
       )) from 1 for 16)
       else decode(substring(
         encode(substring(message from position('"content":"'::bytea in message) for 100), 'escape')
         from '^"content":"checkpoint[.]alvarium/1/([0-9a-f]{32})/'
       ), 'hex') end, signer)`,
    'alter table alvarium.beside alter key set not null',
    'create index beside_key on alvarium.beside (kind, key, signer, seq)',
  ],
  [
    // Times of receipt by blocks of the log, for searches by time.
    'select from alvarium.head for update',
    'create table alvarium.arrival (block bigint primary key, earliest bigint, latest bigint, unknown bigint not null)',
    addBlocks('0', `(select leaves / ${BLOCK} from alvarium.head)`),
    // Time at which a bundle about the payload was last forgotten: a payload that was made from a forgotten one still has its name.
    'alter table alvarium.datum add column forgotten bigint',
  ],
]

/** Returns an expression for the ids of a statement, as ranges in the bytes of a record. */
function rangesOfIds(statement: string): string {
  return `(
    select int4send(count(*)::integer)
      || coalesce(string_agg(int8send(first) || int8send(last), ''::bytea order by first), ''::bytea)
    from (
      select min(id) as first, max(id) as last from (
        select id, id - row_number() over (order by id) as island from (${statement}) as ids
      ) as numbered group by island
    ) as ranges
  )`
}

/** Key of an advisory lock, which all processes that migrate share: the letters of `alvarium`. */
const LOCK = '7020378087036741997'

/**
 * Brings the schema to this version. A role that may only read can open a store of this version.
 *
 * @param create - whether to make a store if there is none
 * @throws AlvariumError `STORE_FAILED` if the schema is newer, `CONFIG_INVALID` if there is none and `create` is false
 */
export async function migrate(database: Database, create: boolean): Promise<void> {
  const found = await database.readBriefly(versionIn)
  if (found === 0 && !create) {
    throw expected('CONFIG_INVALID', 'store', 'a database with a store', 'a database which has no store')
  }
  if (found < MIGRATIONS.length) await database.writeAll(migrateIn)
  else assertKnown(found)
}

async function migrateIn(session: Session): Promise<void> {
  await session.query('select pg_advisory_xact_lock($1::text::bigint)', [LOCK])
  await session.query('create schema if not exists alvarium')
  await session.query('create table if not exists alvarium.version (version integer primary key)')
  const from = await versionIn(session)
  assertKnown(from)
  for (const [at, statements] of MIGRATIONS.slice(from).entries()) {
    for (const statement of statements) await session.query(statement)
    await session.query('insert into alvarium.version values ($1::text::integer)', [`${from + at + 1}`])
  }
}

/** Returns the schema's version, 0 if there is no store yet. */
async function versionIn(session: Session): Promise<number> {
  const [there] = await session.query(
    "select pg_catalog.to_regclass('alvarium.version') is not null as there",
  )
  if (!there?.['there']) return 0
  const [row] = await session.query(
    'select coalesce(pg_catalog.max(version), 0) as version from alvarium.version',
  )
  return Number(row?.['version'])
}

function assertKnown(version: number): void {
  if (version <= MIGRATIONS.length) return
  const most = `a schema of version ${MIGRATIONS.length} or older`
  throw expected('STORE_FAILED', 'store', most, `${version}: update alvarium-sdk`)
}
