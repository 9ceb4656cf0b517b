import { runYielding, verifyTurns } from '../../foundation/base/time/turns.js'
import type { PayloadName } from '../../verifying/score/payload-name.js'
import type { Session } from '../database/database.js'
import { type Edges, edgesFrom } from '../questions/lineage.js'
import { datumIds, type InputNames, inputNames } from '../questions/stored-bundle.js'
import { groupsOf } from '../rows/groups.js'
import { namedPayload } from '../rows/payload-name.js'
import type { AcceptedBundles } from './accepted.js'
import type { ListedSets } from './options.js'

/** Direct and indirect origins of a payload, as far as known. */
export interface Origins {
  /**
   * Distances from the payload, by id. The payload itself is first, with 0. Its ancestors follow, including
   * sets whose payload keys are unknown.
   */
  readonly depths: ReadonlyMap<number, number>
  readonly names: ReadonlyMap<number, PayloadName>
  /**
   * Distances from the payload, by payload key, for ancestors that the store lacks. Lists in the option
   * `sets` name these ancestors.
   */
  readonly strangers: ReadonlyMap<string, number>
  /** Ids of payloads that were made from a set whose payload keys are unknown. */
  readonly unlisted: ReadonlySet<number>
  /** Number of pruned bundles by payload id, without zeros. */
  readonly pruned: ReadonlyMap<number, number>
  readonly isWhole: boolean
}

interface SetMembers {
  readonly ids: readonly number[]
  readonly keys: readonly string[]
}

/** Payload keys per query. With more, the work in JavaScript would block the event loop for too long. */
const MAX_KEYS = 1_024
/** Number of payloads to process between two yields to the event loop. */
export const STEP_PAYLOADS = 256

interface AncestryOptions {
  readonly session: Session
  /** Maximum number of ancestors. */
  readonly limit: number
  readonly listed: ListedSets
  /** Bundles that the trust policy permits. Origins that only other bundles state are left out. */
  readonly accepted?: AcceptedBundles | undefined
}

/**
 * Follows the edges from a payload to its ancestors, and from a set of the option `sets` to the payloads in it.
 * Such a set adds no distance, because a payload made from a set was made from the payloads in it.
 */
export async function originsOf(
  { session, limit, listed, accepted }: AncestryOptions,
  id: number,
): Promise<Origins> {
  const found = new Ancestry(listed)
  for (let roots: readonly number[] = [id]; roots.length > 0 && found.isWhole; ) {
    // Raise the limit, because sets of the option `sets` are among the rows but are not ancestors.
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
 * Returns the origins of a payload from all edges and names; undefined if one of them is a set of the option
 * `sets`, whose payloads must be looked up.
 */
export async function originsAmong(
  pairs: Edges['pairs'],
  names: InputNames,
  { id, limit, listed }: Pick<AncestryOptions, 'limit' | 'listed'> & { readonly id: number },
): Promise<Origins | undefined> {
  const found = new Ancestry(listed)
  const sets = found.add({ parents: groupsOf(pairs), isWhole: true }, names)
  return sets.length > 0 ? undefined : runYielding(found.originsOf(id, limit))
}

export async function aloneOf(session: Session, id: number): Promise<Origins> {
  const found = new Ancestry(new Map())
  found.add({ parents: new Map(), isWhole: true }, await inputNames(session, [id]))
  return runYielding(found.originsOf(id, 0))
}

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

  /**
   * Adds edges, and names of payloads and sets. Returns the new sets that have a list in the option `sets`,
   * each with the payload keys of its list.
   */
  add({ parents, isWhole }: Pick<Edges, 'parents' | 'isWhole'>, { payloads, sets, pruned }: InputNames) {
    this.isWhole &&= isWhole
    for (const [child, parentIds] of parents) this.#parents.set(child, parentIds)
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

  get children(): number[] {
    return [...this.#parents.keys()]
  }

  keepOnly(parentsOf: (child: number) => ReadonlySet<number>): void {
    for (const [child, parents] of this.#parents) {
      const permitted = parentsOf(child)
      this.#parents.set(
        child,
        parents.filter((one) => permitted.has(one)),
      )
    }
  }

  open(set: number, members: SetMembers): void {
    this.#members.set(set, members)
  }

  /** Computes the shortest distances, level by level. Yields regularly to the event loop: sets may be large. */
  *originsOf(id: number, limit: number): Generator<void, Origins> {
    const depths = new Map([[id, 0]])
    const [strangers, unlisted, opened] = [new Map<string, number>(), new Set<number>(), new Set<number>()]
    let looked = 0
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
      unlisted,
      pruned: this.#pruned,
      isWhole,
    }
  }
}

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
  maxCount: number,
): Generator<void, ReadonlyMap<Key, number>> {
  if (depths.size <= maxCount) return depths
  const subset = new Map<Key, number>()
  for (const [key, depth] of depths) {
    if (subset.size === maxCount) break
    if (subset.size % STEP_PAYLOADS === 0) yield
    subset.set(key, depth)
  }
  return subset
}

/** Looks up the members of a set. Reads at most `limit + 1` members, so that the caller sees if there are more. */
async function membersOf(session: Session, keys: Iterable<string>, limit: number): Promise<SetMembers> {
  const [known, strangers]: [number[], string[]] = [[], []]
  for (const names of keyPages(keys, limit + 1)) {
    const ids = await datumIds(session, names)
    for (const [at, { key }] of names.entries()) {
      const id = ids.get(at)
      if (id === undefined) strangers.push(key)
      else known.push(id)
    }
    await verifyTurns.yieldIfDueLong()
  }
  return { ids: known, keys: strangers }
}

/** Yields at most `maxCount` distinct payloads, in pages. */
function* keyPages(keys: Iterable<string>, maxCount: number): Generator<PayloadName[], void> {
  const seen = new Set<string>()
  let page: PayloadName[] = []
  for (const given of keys) {
    const name = namedPayload({ key: given, hash: 'sha256' })
    if (seen.has(name.key)) continue
    seen.add(name.key)
    if (page.push(name) === MAX_KEYS) {
      yield page
      page = []
    }
    if (seen.size === maxCount) break
  }
  if (page.length > 0) yield page
}
