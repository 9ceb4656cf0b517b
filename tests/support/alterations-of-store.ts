import type { TestDatabase } from '../store/databases.js'
import { pruningIdOf, recordOf } from './owner-of-store.js'

/** Returns a source of whole numbers below a bound, in an order that a seed decides (mulberry32). */
export function randomFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296) * below)
  }
}

const KEYS = {
  leaf: ['seq'],
  tile: ['level', 'at'],
  checkpoint: ['size'],
  evidence: ['seq'],
  beside: ['seq'],
  bundle: ['seq'],
  edge: ['child', 'parent', 'signed'],
  datum: ['id'],
  word: ['id'],
  list: ['id'],
  classic: ['seq'],
} as const
type Table = keyof typeof KEYS

const NUMBERS: Partial<Record<Table, readonly string[]>> = {
  leaf: ['seq'],
  tile: ['level', 'at'],
  bundle: [
    'seq',
    'evidence',
    'datum',
    'previous',
    'implied',
    'at',
    'signer',
    'signed_by',
    'host',
    'layer',
    'kinds',
    'tags',
    'place',
    'action',
  ],
  edge: ['child', 'parent'],
  datum: ['id', 'hash', 'pruned'],
  word: ['id'],
  list: ['id'],
  evidence: ['seq'],
  beside: ['seq', 'kind'],
  checkpoint: ['size'],
  classic: ['seq'],
}
const BYTES: Partial<Record<Table, readonly string[]>> = {
  leaf: ['id'],
  tile: ['hashes'],
  checkpoint: ['note'],
  evidence: ['digest', 'message'],
  beside: ['signer', 'key', 'identity', 'digest', 'message'],
  bundle: ['ok'],
  datum: ['digest', 'text'],
  word: ['word'],
  list: ['digest'],
  classic: ['record'],
}
const COUNTS = ['leaves', 'evidence', 'beside', 'data', 'words', 'lists', 'classic']

/** Returns an SQL statement by which the owner of a store's database alters a row. The database may refuse it. */
export async function randomAlteration(
  database: TestDatabase,
  random: (below: number) => number,
): Promise<string> {
  const pick = <T>(some: readonly T[]): T => some[random(some.length)] as T
  const table = pick(Object.keys(KEYS) as Table[])
  const keys = KEYS[table]
  const rows = await database.query(
    `select ${keys.map((key) => `${key}::text`).join(', ')} from alvarium.${table} order by ${keys.join(', ')}`,
  )
  const [one, other] = [pick(rows), pick(rows)].map((row) =>
    keys.map((key) => `${key} = '${row[key]}'`).join(' and '),
  )
  const number = pick(NUMBERS[table] ?? [])
  const bytes = BYTES[table] === undefined ? undefined : pick(BYTES[table])
  const makes: (() => string | undefined)[] = [
    () => `delete from alvarium.${table} where ${one}`,
    () => `update alvarium.${table} set ${number} = coalesce(${number}, 0) + ${1 + random(3)} where ${one}`,
    () =>
      bytes &&
      `update alvarium.${table} set ${bytes} = set_bit(${bytes}, ${random(8)}, 1 - get_bit(${bytes}, ${random(8)})) where ${one}`,
    () => bytes && `update alvarium.${table} set ${bytes} = substring(${bytes} from 2) where ${one}`,
    () =>
      bytes &&
      `update alvarium.${table} set ${bytes} = decode(md5('${random(1e9)}') || md5('${random(1e9)}'), 'hex') where ${one}`,
    () => bytes && swapped(table, bytes, keys[0], one as string, other as string),
    () => swapped(table, number, keys[0], one as string, other as string),
    () => inserted(table, keys[0], one as string, random),
    () => `update alvarium.head set ${pick(COUNTS)} = ${random(100)}`,
    () => (table === 'edge' ? `update alvarium.edge set signed = not signed where ${one}` : undefined),
    () =>
      table === 'bundle'
        ? `update alvarium.bundle set spelled = '2026-11-20T10:00:00Z' where ${one}`
        : undefined,
    () =>
      table === 'bundle'
        ? `update alvarium.bundle set inputs = inputs[2:] || inputs[1] || datum where ${one}`
        : undefined,
    () => (table === 'list' ? `update alvarium.list set words = words || words[1] where ${one}` : undefined),
  ]
  return pick(makes)() || randomAlteration(database, random)
}

/**
 * Returns SQL statements by which the owner of a store's database forges, alters, widens or removes signed prunings.
 * The database may refuse them.
 */
export async function randomPruningAlteration(
  database: TestDatabase,
  random: (below: number) => number,
): Promise<string> {
  const pick = <T>(some: readonly T[]): T => some[random(some.length)] as T
  const numbersIn = async (column: string, table: string) =>
    (await database.query(`select ${column} as one from alvarium.${table} order by 1`)).map(({ one }) =>
      Number(one),
    )
  const [entries, firsts, there] = [
    await numbersIn('seq', 'pruning'),
    await numbersIn('first', 'pruned'),
    await numbersIn('seq', 'bundle'),
  ]
  const [entry, first, bundle] = [pick(entries), pick(firsts), pick(there)]
  const of = `where seq = ${entry}`
  const more = 1 + random(3)
  const forged = recordOf({ at: random(1e9), messages: random(5), ranges: [[bundle, bundle]] })
  const hex = (bytes: Uint8Array) => `'\\x${Buffer.from(bytes).toString('hex')}'`
  const gone = `delete from alvarium.bundle where seq = ${bundle}`
  const range = (at: number) => `insert into alvarium.pruned values (${bundle}, ${bundle}, ${at})`
  const at = pick(await numbersIn('seq', 'leaf'))
  return pick([
    `update alvarium.pruning set ${pick(['at', 'before', 'bundles', 'messages', 'seq'])} = ${random(20)} ${of}`,
    `update alvarium.pruning set record = set_byte(record, ${random(90)}, ${random(3)}) ${of}`,
    `update alvarium.pruning set record = substring(record from ${more + 1}) ${of}`,
    `delete from alvarium.pruning ${of}`,
    `update alvarium.pruned set ${pick(['first', 'last', 'pruning'])} = ${random(16)} where first = ${first}`,
    `delete from alvarium.pruned where first = ${first}`,
    // Widens or narrows the range.
    `update alvarium.pruned set last = last + ${more - 2} where first = ${first};\n${gone}`,
    range(entry),
    `${gone};\n${range(entry)}`,
    // Puts another pruning in its place, with and without its id in the log.
    `${gone};\n${range(entry)};\nupdate alvarium.pruning set record = ${hex(forged)} ${of}`,
    `${gone};\n${range(entry)};\nupdate alvarium.pruning set record = ${hex(forged)} ${of};\nupdate alvarium.leaf set id = ${hex(pruningIdOf(forged))} ${of}`,
    // Puts it in the place of any entry.
    `${gone};\n${range(at)};\ninsert into alvarium.pruning (seq, at, bundles, messages, record) values (${at}, 0, 1, 1, ${hex(forged)})`,
  ])
}

/** Swaps a column of two rows by way of a value that neither has, because the column may be unique. */
function swapped(table: Table, column: string, key: string, one: string, other: string): string | undefined {
  if (column === key || one === other) return undefined
  const of = (where: string) => `(select ${column} from alvarium.${table} where ${where})`
  return `
    update alvarium.${table} set ${column} = case when ${one} then ${of(other)} else ${of(one)} end
    where (${one}) or (${other})`
}

function inserted(
  table: Table,
  key: string,
  one: string,
  random: (below: number) => number,
): string | undefined {
  const next = `(select max(${key}) + ${1 + random(2)} from alvarium.${table})`
  const fresh = `decode(md5('${random(1e9)}') || md5('${random(1e9)}'), 'hex')`
  const copies: Record<Table, string> = {
    leaf: `select ${next}, ${fresh}`,
    tile: `select level, ${next === '' ? 0 : 'at + 1'}, hashes from alvarium.tile where ${one}`,
    checkpoint: `select size + 1, note, made from alvarium.checkpoint where ${one}`,
    evidence: `select ${next}, received, ${fresh}, message || ' '::bytea from alvarium.evidence where ${one}`,
    beside: `select ${next}, kind, signer, received, ${fresh}, digest, message, key from alvarium.beside where ${one}`,
    bundle: `select ${next}, evidence, datum, previous, at, signer, signed_by, host, layer, kinds, tags, place, action, ok, spelled
      from alvarium.bundle where ${one}`,
    edge: `select parent, child, signed from alvarium.edge where ${one}`,
    datum: `select ${next}, hash, ${fresh}, text from alvarium.datum where ${one}`,
    word: `select ${next}, ${fresh}`,
    list: `select ${next}, ${fresh}, words from alvarium.list where ${one}`,
    classic: `select ${next}, record from alvarium.classic where ${one}`,
  }
  return `insert into alvarium.${table} ${copies[table]}`
}
