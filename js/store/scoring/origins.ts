import { runYielding, verifyTurns } from '../../foundation/base/time/turns.js'
import type { PayloadName } from '../../verifying/score/payload-name.js'
import type { Session } from '../database/database.js'
import { type Edges, edgesFrom } from '../questions/lineage.js'
import { datumIds, type InputNames, inputNames } from '../questions/stored-bundle.js'
import { groupsOf } from '../rows/groups.js'
import { namedPayload } from '../rows/payload-name.js'
import type { AcceptedBundles } from './accepted.js'
import type { ListedSets } from './options.js'

/** Origins of a payload, near and far, as far as known. */
export interface Origins {
  /** Distances by number, nearest first: payloads, and sets that are not listed. The payload itself is the first. */
  readonly depths: ReadonlyMap<number, number>
  readonly names: ReadonlyMap<number, PayloadName>
  /** Distances of payloads in listed sets that are not in the store. */
  readonly strangers: ReadonlyMap<string, number>
  /** Payloads that were made from a set that is not listed. */
  readonly unlisted: ReadonlySet<number>
  /** Number of pruned bundles about each payload, if any. */
  readonly pruned: ReadonlyMap<number, number>
  readonly isWhole: boolean
}

/** Payloads in a set: by their numbers, or by their payload keys if they are not in the store. */
interface SetMembers {
  readonly ids: readonly number[]
  readonly keys: readonly string[]
}

/** Payload keys that one statement looks up: in JavaScript, more take longer than a turn of the event loop may. */
const MAX_KEYS = 1_024
/** Payloads of one step. */
export const STEP_PAYLOADS = 256

/** Settings for following a payload back. */
interface AncestryOptions {
  readonly session: Session
  /** Maximum number of ancestors. */
  readonly limit: number
  readonly listed: ListedSets
  /** Bundles that count: origins by other bundles are left out. */
  readonly accepted?: AcceptedBundles | undefined
}

/**
 * Follows a payload back: along the edges, and from a listed set to the payloads in it. A set adds no distance: a payload made from it was made
 * from its payloads.
 */
export async function originsOf(
  { session, limit, listed, accepted }: AncestryOptions,
  id: number,
): Promise<Origins> {
  const found = new Ancestry(listed)
  for (let roots: readonly number[] = [id]; roots.length > 0 && found.isWhole; ) {
    // Raise the limit: a listed set is among the rows, but is no ancestor.
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
      for (const one of members.ids) if (!found.names.has(one)) next.add(one)
    }
    roots = [...next]
  }
  if (accepted) {
    await accepted.read(found.children)
    found.keepOnly((child) => accepted.parents(child))
  }
  return runYielding(found.originsOf(id, limit))
}

/**
 * Returns the origins of a payload from all its edges and names.
 *
 * @returns undefined if a listed set is among them, because its members are missing
 */
export async function originsAmong(
  pairs: Edges['pairs'],
  names: InputNames,
  { id, limit, listed }: Pick<AncestryOptions, 'limit' | 'listed'> & { readonly id: number },
): Promise<Origins | undefined> {
  const found = new Ancestry(listed)
  if (found.add({ parents: groupsOf(pairs), isWhole: true }, names).length > 0) return undefined
  return runYielding(found.originsOf(id, limit))
}

/** Returns the origins of a payload that is scored without its ancestors. */
export async function aloneOf(session: Session, id: number): Promise<Origins> {
  const { payloads, pruned } = await inputNames(session, [id])
  const nothing = { strangers: new Map(), unlisted: new Set<number>() }
  return { depths: new Map([[id, 0]]), names: payloads, ...nothing, pruned, isWhole: true }
}

/** Ancestors found so far. */
class Ancestry {
  readonly names = new Map<number, PayloadName>()
  isWhole = true
  readonly #listed: ListedSets
  readonly #parents = new Map<number, readonly number[]>()
  readonly #sets = new Map<number, string>()
  readonly #pruned = new Map<number, number>()
  readonly #members = new Map<number, SetMembers>()

  constructor(listed: ListedSets) {
    this.#listed = listed
  }

  /** Adds edges and names. Returns the new listed sets, with their keys. */
  add({ parents, isWhole }: Pick<Edges, 'parents' | 'isWhole'>, { payloads, sets, pruned }: InputNames) {
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

  /** Numbers of the payloads that were made from others. */
  get children(): number[] {
    return [...this.#parents.keys()]
  }

  /** Drops parents that no accepted bundle names. */
  keepOnly(parentsOf: (child: number) => ReadonlySet<number>): void {
    for (const [child, parents] of this.#parents) {
      const said = parentsOf(child)
      this.#parents.set(
        child,
        parents.filter((one) => said.has(one)),
      )
    }
  }

  open(set: number, members: SetMembers): void {
    this.#members.set(set, members)
  }

  /** Computes the distances level by level, so that each is the shortest. In steps, because a set may have very many members. */
  *originsOf(id: number, limit: number): Generator<void, Origins> {
    const depths = new Map([[id, 0]])
    const [strangers, unlisted, opened] = [new Map<string, number>(), new Set<number>(), new Set<number>()]
    let looked = 0
    // The map grows during the loop.
    for (const [one, depth] of depths) {
      if (looked++ % STEP_PAYLOADS === 0) yield
      for (const parent of this.#parents.get(one) ?? []) {
        const members = this.#members.get(parent)
        if (!members) reach(depths, parent, depth + 1)
        if (this.#sets.has(parent) && !members) unlisted.add(one)
        if (!members || opened.has(parent)) continue
        opened.add(parent)
        yield* reachAll(depths, members.ids, depth + 1)
        yield* reachAll(strangers, members.keys, depth + 1)
      }
    }
    const isWhole = this.isWhole && depths.size + strangers.size <= limit + 1
    return {
      depths: yield* first(depths, limit + 1),
      names: this.names,
      strangers: yield* first(strangers, Math.max(0, limit + 1 - depths.size)),
      ...{ unlisted, pruned: this.#pruned, isWhole },
    }
  }
}

/** Adds a distance, unless a shorter one is known. */
function reach<Key>(depths: Map<Key, number>, one: Key, depth: number): void {
  if (!depths.has(one)) depths.set(one, depth)
}

function* reachAll<Key>(depths: Map<Key, number>, all: readonly Key[], depth: number): Generator<void, void> {
  for (const [at, one] of all.entries()) {
    if (at % STEP_PAYLOADS === 0) yield
    reach(depths, one, depth)
  }
}

function* first<Key>(
  depths: ReadonlyMap<Key, number>,
  most: number,
): Generator<void, ReadonlyMap<Key, number>> {
  if (depths.size <= most) return depths
  const some = new Map<Key, number>()
  for (const [key, depth] of depths) {
    if (some.size === most) break
    if (some.size % STEP_PAYLOADS === 0) yield
    some.set(key, depth)
  }
  return some
}

/** Looks up the members of a set. It reads at most one more than the limit, which shows that there are more. */
async function membersOf(session: Session, keys: Iterable<string>, limit: number): Promise<SetMembers> {
  const [known, strangers]: [number[], string[]] = [[], []]
  for (const names of keyPages(keys, limit + 1)) {
    const ids = await datumIds(session, names)
    for (const [at, { key }] of names.entries()) {
      const id = ids.get(at)
      if (id === undefined) strangers.push(key)
      else known.push(id)
    }
    await verifyTurns.takeLong()
  }
  return { ids: known, keys: strangers }
}

/** Returns at most so many different payloads, in parts. */
function* keyPages(keys: Iterable<string>, most: number): Generator<PayloadName[], void> {
  const seen = new Set<string>()
  let some: PayloadName[] = []
  for (const given of keys) {
    const name = namedPayload({ key: given, hash: 'sha256' })
    if (seen.has(name.key)) continue
    seen.add(name.key)
    if (some.push(name) === MAX_KEYS) {
      yield some
      some = []
    }
    if (seen.size === most) break
  }
  if (some.length > 0) yield some
}
