import { expected } from '../foundation/base/errors.js'
import type { Database, Session } from './database/database.js'
import { addBlocks, BLOCK } from './ingest/arrivals.js'

/**
 * Schema migrations, in order. Never change a published migration. All pending migrations run in one
 * transaction.
 *
 * Messages in `evidence`, `beside` and `quarantine` can be verified again. The rows about bundles are derived
 * from messages, and can be rebuilt. The checkpoints of the store's log, and prunings, cannot be rebuilt. There
 * are no sequences, because they waste numbers when rows already exist. `head` has the next ids, and is locked
 * while rows are added.
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
    // Entries of the log: `id` is the entry at position `seq`. The row stays when the bundle is pruned.
    'create table alvarium.leaf (seq bigint primary key, id bytea not null unique)',
    // Tiles of the log (C2SP tlog-tiles).
    `create table alvarium.tile (
      level smallint not null, at bigint not null, hashes bytea not null, primary key (level, at)
    )`,
    'create table alvarium.checkpoint (size bigint primary key, note bytea not null, made bigint not null)',
    `create table alvarium.evidence (
      seq bigint primary key, received bigint, digest bytea not null unique, message bytea not null
    )`,
    // lz4 takes a third of the time of PostgreSQL's default compression. Some servers do not support it.
    `do $$ begin alter table alvarium.evidence alter message set compression lz4;
     exception when feature_not_supported then null; end $$`,
    // Payload names: hash and key. Keys of hash `none` are texts, which can be too long for an index.
    `create table alvarium.datum (
      id bigint primary key, hash smallint not null, digest bytea not null, text bytea, unique (hash, digest)
    )`,
    // Words as UTF-8 bytes, because a word may contain U+0000, which the type `text` cannot store.
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
  // Inputs of a bundle of format `AnnotationBundle/2`, in order: ids of payloads and sets, which share a table.
  ['alter table alvarium.bundle add column inputs bigint[]'],
  [
    // Input that a message of another SDK implies. The edge to it is removed with the last bundle that implies it.
    'alter table alvarium.bundle add column implied bigint',
    `update alvarium.bundle set implied = edge.parent from alvarium.edge
     where edge.child = bundle.datum and not edge.signed and bundle.action is null`,
    // Index of bundles by message. It is a BRIN index, because message numbers grow with the table.
    'create index bundle_evidence on alvarium.bundle using brin (evidence) with (autosummarize = on)',
    // Prunings with times and ranges. If a bundle is missing and in no range, another program removed it.
    `create table alvarium.pruning (
      id bigint primary key, at bigint not null, before bigint, bundles bigint not null, messages bigint not null
    )`,
    'create table alvarium.pruned (first bigint primary key, last bigint not null, pruning bigint not null)',
    'alter table alvarium.head add column pruned bigint not null default 0',
    'alter table alvarium.datum add column pruned bigint not null default 0',
  ],
  // Index for policies with layers. It finds the newest bundle of a layer with a tag.
  ['create index bundle_stack on alvarium.bundle (tags, layer, seq)'],
  [
    // Leases and checkpoints that signers publish in addition to bundles. `identity` is the SHA-256 of the
    // signed bytes, because a third party can change the other bytes.
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
    // Make each pruning an entry of the log, by the id of its record (crate/FORMAT.md). Record earlier
    // prunings now, and mark them as earlier.
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
  // Replace the unique index by a smaller one. A transaction that adds a message locks `head` and looks up
  // the message, so uniqueness is ensured.
  [
    'create index evidence_digest on alvarium.evidence using hash (digest)',
    // Drop the constraint last, because nobody can read the table from here until the end of the migration.
    'alter table alvarium.evidence drop constraint evidence_digest_key',
  ],
  // Index only messages that may be batches. A single-bundle message is new if its bundle is new, so it is
  // not looked up. No valid batch begins like the pattern below.
  [
    `create index evidence_batches on alvarium.evidence using hash (digest)
     where substring(message from 1 for 75) not like '{"action":"%","messageType":"alvarium.AnnotationBundle/1","content":{%'`,
    'drop index alvarium.evidence_digest',
  ],
  [
    // Make each message of another SDK an entry of the log, by the id of its record (crate/FORMAT.md). Record
    // earlier messages now, with `isEarlier`.
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
    // Record the unreferenced rows that earlier prunings did not delete. Later prunings list such rows themselves.
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
  // `naming` changes with each transaction that adds words or lists. It tells a process whether the ids in
  // its cache are from this database.
  ['alter table alvarium.head add column naming uuid not null default gen_random_uuid()'],
  [
    // `key` is the id of the public key that signed a checkpoint, or that a lease permits. Checkpoints are
    // grouped by `key` and not by `signer`: for a leased key, `signer` is the issuer, and several issuers may
    // have leased the key.
    'alter table alvarium.beside add column key bytea',
    // Use the signer as the key if a message was altered and contains no key. The audit reports such a message.
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
    // Time at which `forget` last removed a bundle about the payload.
    'alter table alvarium.datum add column forgotten bigint',
  ],
]

/** Returns an SQL expression that encodes the ids selected by a statement as the ranges of a record. */
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

/** Key of the advisory lock for migrations: a number that no other lock of the store has. */
const LOCK = '7020378087036741997'

/**
 * Upgrades the schema to this version. A role with only read rights can open a store that has this version.
 *
 * @param create - true to create a store if there is none
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

/** Returns the version of the schema, or 0 if there is no store yet. */
async function versionIn(session: Session): Promise<number> {
  const [presence] = await session.query(
    "select pg_catalog.to_regclass('alvarium.version') is not null as there",
  )
  if (!presence?.['there']) return 0
  const [row] = await session.query(
    'select coalesce(pg_catalog.max(version), 0) as version from alvarium.version',
  )
  return Number(row?.['version'])
}

function assertKnown(version: number): void {
  if (version <= MIGRATIONS.length) return
  const expectation = `a schema of version ${MIGRATIONS.length} or older`
  throw expected('STORE_FAILED', 'store', expectation, `${version}: update alvarium-sdk`)
}
