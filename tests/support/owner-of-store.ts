import { createHash } from 'node:crypto'
import type { TestDatabase } from '../store/databases.js'

/** Content of a pruning, by crate/FORMAT.md. */
export interface Said {
  readonly isEarlier?: boolean
  readonly at: number
  readonly before?: number | undefined
  readonly messages: number
  readonly ranges: Ranges
  /**
   * Ids of texts, lists and payloads that the pruned bundles used. Without them, the record has the format from
   * before it contained them.
   */
  readonly left?: Left
}

type Ranges = readonly (readonly [first: number, last: number])[]
export type Left = readonly [words: Ranges, lists: Ranges, data: Ranges]

/** Returns the record of a pruning, written by hand: the owner of a database needs none of our code. */
export function recordOf({ isEarlier = false, at, before, messages, ranges, left }: Said): Buffer {
  return Buffer.concat([
    Buffer.from(`alvarium.Pruning/${left ? 2 : 1}\n`),
    Buffer.of(Number(isEarlier)),
    i64(at),
    before === undefined ? Buffer.of(0) : Buffer.concat([Buffer.of(1), i64(before)]),
    i64(messages),
    ...[ranges, ...(left ?? [])].map(rangesOf),
  ])
}

function i64(number: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64BE(BigInt(number))
  return bytes
}

function rangesOf(ranges: Ranges): Buffer {
  const count = Buffer.alloc(4)
  count.writeUInt32BE(ranges.length)
  return Buffer.concat([count, ...ranges.flat().map(i64)])
}

/** Reads which rows a pruning of these bundles leaves; without `seqs`, a pruning of all bundles. */
export async function leftBy(
  { query }: Pick<TestDatabase, 'query'>,
  seqs?: readonly number[],
): Promise<Left> {
  const where = seqs ? `where seq in (${seqs.join()})` : ''
  const numbers = async (columns: readonly string[]) => {
    const all = columns
      .map((column) => `select ${column} as id from alvarium.bundle ${where}`)
      .join(' union ')
    const rows = await query(`select id::integer as id from (${all}) as ids where id is not null order by id`)
    return rows.map(({ id }) => Number(id))
  }
  return [
    asRanges(await numbers(['signer', 'signed_by', 'host', 'layer'])),
    asRanges(await numbers(['kinds', 'tags'])),
    asRanges(await numbers(['datum', 'previous', 'implied', 'unnest(inputs)'])),
  ]
}

function asRanges(numbers: readonly number[]): Ranges {
  const ranges: [number, number][] = []
  for (const one of numbers) {
    const range = ranges.at(-1)
    if (range && one === range[1] + 1) range[1] = one
    else ranges.push([one, one])
  }
  return ranges
}

export function pruningIdOf(record: Uint8Array): Buffer {
  return createHash('sha256')
    .update(Buffer.concat([Buffer.of(0), record]))
    .digest()
}

/** Removes a bundle and its message. Only its entry in the log remains, and all counts are right. */
export async function removeBundle(database: TestDatabase, seq: number): Promise<void> {
  const pruned = 'update alvarium.datum set pruned = pruned + 1 from alvarium.bundle where bundle.seq = $1'
  await database.query(`${pruned} and datum.id = bundle.datum`, [seq])
  await database.query('delete from alvarium.bundle where seq = $1', [seq])
  await database.query(
    'delete from alvarium.evidence where not exists (select from alvarium.bundle where evidence = evidence.seq)',
  )
  await database.query('update alvarium.head set pruned = pruned + 1')
}

export async function appendPruning(database: TestDatabase, said: Said): Promise<void> {
  const [head] = await database.query('select leaves from alvarium.head')
  const entry = Number(head?.['leaves'])
  await database.query('insert into alvarium.leaf values ($1, $2)', [entry, pruningIdOf(recordOf(said))])
  await putPruning(database, entry, said)
  await database.query('update alvarium.head set leaves = leaves + 1')
}

/** Writes a pruning over any entry of the log. */
export async function putPruning(database: TestDatabase, entry: number, said: Said): Promise<void> {
  const bundles = said.ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0)
  await database.query('delete from alvarium.pruning where seq = $1', [entry])
  await database.query('delete from alvarium.pruned where pruning = $1', [entry])
  await database.query(
    'insert into alvarium.pruning (seq, at, before, bundles, messages, record) values ($1, $2, $3, $4, $5, $6)',
    [entry, said.at, said.before ?? null, bundles, said.messages, recordOf(said)],
  )
  for (const [first, last] of said.ranges) {
    await database.query('insert into alvarium.pruned values ($1, $2, $3)', [first, last, entry])
  }
}
