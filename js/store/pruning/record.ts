import { numberIn, numbers } from '../columns.js'
import type { Row } from '../connection.js'
import type { Session } from '../database.js'

/** A pruning, as the store remembers it. */
export interface Pruning {
  /** When it began, in milliseconds since 1970, by the clock of who pruned. */
  readonly at: number
  /** Bundles that were received before this were pruned, in milliseconds since 1970. Missing where a payload was forgotten. */
  readonly before?: number
  /** How many bundles are gone, and annotations of other SDKs, which count one by one. */
  readonly bundles: number
  /** How many messages are gone. */
  readonly messages: number
}

/** Which pruning a transaction belongs to: the first one of it gives it a number. */
export interface PruningName {
  readonly id: number | undefined
  readonly at: number
  readonly before: number | undefined
}

/** Notes what one transaction has removed. The head must be locked. @returns the number of the pruning */
export async function record(
  session: Session,
  { id, at, before }: PruningName,
  { seqs, messages }: { readonly seqs: readonly number[]; readonly messages: number },
): Promise<number> {
  const gone = [seqs.length, messages]
  const [row] =
    id === undefined
      ? await session.query(BEGIN, [...gone, at, before])
      : await session.query(GO_ON, [...gone, id])
  const number = numberIn(row as Row, 'id')
  const ranges = rangesOf(seqs)
  await session.query(ADD_RANGES, [
    numbers(ranges.map(([first]) => first)),
    numbers(ranges.map(([, last]) => last)),
    number,
  ])
  await session.query('update alvarium.head set pruned = pruned + $1::bigint', [seqs.length])
  return number
}

const BEGIN = `
  insert into alvarium.pruning (id, at, before, bundles, messages)
  select coalesce(max(id) + 1, 0), $3::bigint, $4::bigint, $1::bigint, $2::bigint from alvarium.pruning returning id`
const GO_ON = `
  update alvarium.pruning set bundles = bundles + $1::bigint, messages = messages + $2::bigint
  where id = $3::bigint returning id`
const ADD_RANGES = `
  insert into alvarium.pruned (first, last, pruning)
  select first, last, $3::bigint from unnest($1::text::bigint[], $2::text::bigint[]) as given (first, last)`

/** Numbers as ranges, both ends included. */
export function rangesOf(given: readonly number[]): (readonly [first: number, last: number])[] {
  const ranges: [number, number][] = []
  for (const one of [...given].sort((a, b) => a - b)) {
    const range = ranges.at(-1)
    if (range && one <= range[1] + 1) range[1] = one
    else ranges.push([one, one])
  }
  return ranges
}

/** The newest prunings, from the last one on. */
export async function newestPrunings(session: Session): Promise<Pruning[]> {
  const rows = await session.query(NEWEST)
  return rows.map((row) => ({
    at: numberIn(row, 'at'),
    ...(row['before'] !== null && { before: numberIn(row, 'before') }),
    bundles: numberIn(row, 'bundles'),
    messages: numberIn(row, 'messages'),
  }))
}

const NEWEST = 'select at, before, bundles, messages from alvarium.pruning order by id desc limit 1000'

/** How many entries of the log have no more than their ids. */
export async function prunedIn(session: Session): Promise<number> {
  const [head] = await session.query('select pruned from alvarium.head')
  return numberIn(head as Row, 'pruned')
}
