import type { PayloadName } from '../../judge/payload-name.js'
import { byteColumn, fromHexes, numberIn } from '../columns.js'
import type { Session } from '../database.js'
import { type Edges, edgesFrom } from '../lineage.js'
import { datumName, namedPayload } from '../payload-name.js'
import { inputNames } from '../stored.js'
import type { ListedSets } from './options.js'

/** What a payload was made from, near and far, as far as known. */
export interface Origins {
  /** How far away each is by its number, nearest first: payloads, and sets that are not listed. The payload itself is the first. */
  readonly depths: ReadonlyMap<number, number>
  readonly names: ReadonlyMap<number, PayloadName>
  /** Payloads of listed sets that are not in the store, and how far away each is. */
  readonly strangers: ReadonlyMap<string, number>
  /** Those that were made from a set that is not listed. */
  readonly unlisted: ReadonlySet<number>
  /** How many bundles about each were pruned, if any. */
  readonly pruned: ReadonlyMap<number, number>
  readonly isWhole: boolean
}

/** The payloads in a set: by their numbers, or by their payload keys if they are not in the store. */
interface Members {
  readonly known: readonly number[]
  readonly strangers: readonly string[]
}

/** Most payload keys that are looked up at a time. */
const MOST_KEYS = 4_096

/**
 * Follows a payload back: along the edges, and from a set that is listed to the payloads in it. A set is no step: what was made from it was made
 * from those.
 *
 * @param limit - most ancestors, from any way
 */
export async function originsOf(
  session: Session,
  id: number,
  limit: number,
  listed: ListedSets,
): Promise<Origins> {
  const found = new Found(listed)
  for (let roots: readonly number[] = [id]; roots.length > 0 && found.isWhole; ) {
    // A listed set is among these, but not an ancestor.
    const edges = await edgesFrom(session, roots, {
      direction: 'up',
      limit: limit + listed.size,
      implied: false,
    })
    const sets = found.add(edges, await inputNames(session, edges.ids))
    const next = new Set<number>()
    for (const [set, keys] of sets) {
      const members = await membersOf(session, keys, limit)
      found.open(set, members)
      for (const one of members.known) if (!found.names.has(one)) next.add(one)
    }
    roots = [...next]
  }
  return found.originsOf(id, limit)
}

/** Of a payload that is judged by what was said of itself. */
export async function aloneOf(session: Session, id: number): Promise<Origins> {
  const { payloads, pruned } = await inputNames(session, [id])
  const nothing = { strangers: new Map(), unlisted: new Set<number>() }
  return { depths: new Map([[id, 0]]), names: payloads, ...nothing, pruned, isWhole: true }
}

/** What has been found so far. */
class Found {
  readonly names = new Map<number, PayloadName>()
  isWhole = true
  readonly #listed: ListedSets
  readonly #parents = new Map<number, readonly number[]>()
  readonly #sets = new Map<number, string>()
  readonly #pruned = new Map<number, number>()
  readonly #members = new Map<number, Members>()

  constructor(listed: ListedSets) {
    this.#listed = listed
  }

  /** Returns the listed sets among what is new, with their keys. */
  add({ parents, isWhole }: Edges, { payloads, sets, pruned }: Awaited<ReturnType<typeof inputNames>>) {
    this.isWhole &&= isWhole
    for (const [child, its] of parents) this.#parents.set(child, its)
    for (const [one, name] of payloads) this.names.set(one, name)
    for (const [one, count] of pruned) this.#pruned.set(one, count)
    const news: (readonly [set: number, keys: Iterable<string>])[] = []
    for (const [one, set] of sets) {
      const keys = this.#sets.has(one) ? undefined : this.#listed.get(set)
      this.#sets.set(one, set)
      if (keys) news.push([one, keys])
    }
    return news
  }

  open(set: number, members: Members): void {
    this.#members.set(set, members)
  }

  /** Level by level: so each is as far away as the shortest way to it. */
  originsOf(id: number, limit: number): Origins {
    const depths = new Map([[id, 0]])
    const [strangers, unlisted, opened] = [new Map<string, number>(), new Set<number>(), new Set<number>()]
    const reach = (one: number, depth: number) => {
      if (!depths.has(one)) depths.set(one, depth)
    }
    // It grows as it is gone through.
    for (const [one, depth] of depths) {
      for (const parent of this.#parents.get(one) ?? []) {
        const members = this.#members.get(parent)
        if (!members) reach(parent, depth + 1)
        if (this.#sets.has(parent) && !members) unlisted.add(one)
        if (!members || opened.has(parent)) continue
        opened.add(parent)
        for (const member of members.known) reach(member, depth + 1)
        for (const key of members.strangers) if (!strangers.has(key)) strangers.set(key, depth + 1)
      }
    }
    const isWhole = this.isWhole && depths.size + strangers.size <= limit + 1
    return {
      depths: first(depths, limit + 1),
      names: this.names,
      strangers: first(strangers, Math.max(0, limit + 1 - depths.size)),
      ...{ unlisted, pruned: this.#pruned, isWhole },
    }
  }
}

function first<Key>(depths: ReadonlyMap<Key, number>, most: number): ReadonlyMap<Key, number> {
  return depths.size <= most ? depths : new Map([...depths].slice(0, most))
}

/** Of more than are looked at, so many that this shows. */
async function membersOf(session: Session, keys: Iterable<string>, limit: number): Promise<Members> {
  const [known, strangers]: [number[], string[]] = [[], []]
  for (const names of someOf(keys, limit + 1)) {
    const numbers = await numbersOf(session, names)
    for (const [at, { key }] of names.entries()) {
      const number = numbers.get(at)
      if (number === undefined) strangers.push(key)
      else known.push(number)
    }
  }
  return { known, strangers }
}

/** At most so many different ones, some at a time. */
function* someOf(keys: Iterable<string>, most: number): Generator<PayloadName[], void> {
  const seen = new Set<string>()
  let some: PayloadName[] = []
  for (const given of keys) {
    const name = namedPayload({ key: given, hash: 'sha256' })
    if (seen.has(name.key)) continue
    seen.add(name.key)
    if (some.push(name) === MOST_KEYS) {
      yield some
      some = []
    }
    if (seen.size === most) break
  }
  if (some.length > 0) yield some
}

/** The numbers of payloads that somebody has spoken of, by the places of their names. */
async function numbersOf(session: Session, names: readonly PayloadName[]): Promise<Map<number, number>> {
  const data = names.map(datumName)
  const digests = byteColumn(data.map(({ digest }) => fromHexes([digest])))
  const hashes = `{${data.map(({ hash }) => hash).join(',')}}`
  const rows = await session.query(NUMBERS, [...digests, hashes])
  return new Map(rows.map((row) => [numberIn(row, 'place') - 1, numberIn(row, 'id')]))
}

const NUMBERS = `
  select place, datum.id
  from unnest($2::text::integer[], $3::text::integer[], $4::text::smallint[])
    with ordinality as given (start, length, hash, place)
  cross join lateral (
    select id from alvarium.datum
    where datum.hash = given.hash and digest = substring($1::bytea from given.start for given.length)
    offset 0
  ) as datum`
