import type { LoggedMessages } from '../keys/trust-policy.js'
import { type Instant, instantOf } from './instant.js'
import type { Lease } from './lease.js'

/** The part of a checkpoint that proves something about its log. */
export interface ListedLog {
  /** Names its own log. */
  readonly root: string
  /** Names the log before its list. */
  readonly before: string
  readonly leaves: ReadonlySet<string>
}

/** The log of a checkpoint; undefined without peaks or without a list, as it then proves nothing. */
export function listedLog({ run, size, root, from, peaks, entries }: LoggedMessages): ListedLog | undefined {
  if (!peaks || from.size >= size) return undefined
  const leaves = new Set(entries.flatMap(({ leaf }) => (leaf === undefined ? [] : [leaf])))
  return { root: nameOf({ run, size, root }), before: nameOf({ run, ...from }), leaves }
}

/**
 * What is in those logs of one key that leases state, and since when at the latest (FORMAT.md, A log that a lease states). Checkpoints
 * and leases may come in any order: a checkpoint is proved when the root of its log is, and proves the root of the one before it.
 */
export class StatedLogs {
  /** By message: the roots of the logs of whose lists it is one. */
  readonly #leaves: Several = new Map()
  /** By the root of a log: those that are proved with it. */
  readonly #before: Several = new Map()
  /** When each root was stated, in milliseconds since 1970. */
  readonly #roots = new Map<string, number>()

  /** @returns whether what it lists lies in a stated log, as far as is known now */
  add({ root, before, leaves }: ListedLog): boolean {
    put(this.#before, root, before)
    for (const leaf of leaves) put(this.#leaves, leaf, root)
    const at = this.#roots.get(root)
    if (at !== undefined) this.#prove(root, at)
    return at !== undefined
  }

  /** Forgets a checkpoint. */
  delete({ root, before, leaves }: ListedLog): void {
    take(this.#before, root, before)
    for (const leaf of leaves) take(this.#leaves, leaf, root)
  }

  /** @param leases - all that state something, which their issuer has signed and the policy allows: others no more */
  state(leases: readonly Pick<Lease, 'log' | 'from'>[]): void {
    this.#roots.clear()
    for (const { log, from } of leases) if (log) this.#prove(nameOf(log), (instantOf(from) as Instant).ms)
  }

  /** When a message was in a stated log, in milliseconds since 1970; nothing if it is in none that is known. */
  statedAt(leaf: string): number | undefined {
    let first: number | undefined
    for (const root of all(this.#leaves, leaf)) first = earlier(first, this.#roots.get(root))
    return first
  }

  /** Whether a checkpoint of a log of this root is as good as one that came then. */
  rootStatedAt({ run, size, root }: Pick<LoggedMessages, 'run' | 'size' | 'root'>): number | undefined {
    return this.#roots.get(nameOf({ run, size, root }))
  }

  /** Backwards, as far as checkpoints are there. */
  #prove(first: string, at: number): void {
    const left = [first]
    for (let root = left.pop(); root !== undefined; root = left.pop()) {
      this.#roots.set(root, earlier(this.#roots.get(root), at) as number)
      for (const before of all(this.#before, root)) {
        // It may have been proved already, by an earlier lease.
        if ((this.#roots.get(before) ?? at + 1) > at) left.push(before)
      }
    }
  }
}

/** The earlier of two times, if both are known. */
export function earlier(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return Math.min(one, other)
}

/** A message, and a root, may be in several checkpoints; nearly all are in one, and no set is made for that. */
type Several = Map<string, string | Set<string>>

function all(several: Several, key: string): Iterable<string> {
  const known = several.get(key)
  return typeof known === 'string' ? [known] : (known ?? [])
}

function put(several: Several, key: string, one: string): void {
  const known = several.get(key)
  if (known === undefined) several.set(key, one)
  else if (typeof known !== 'string') known.add(one)
  else if (known !== one) several.set(key, new Set([known, one]))
}

function take(several: Several, key: string, one: string): void {
  const known = several.get(key)
  if (known === one) several.delete(key)
  else if (known instanceof Set && known.delete(one) && known.size === 0) several.delete(key)
}

/** Names a log of this size and root. */
function nameOf({ run, size, root }: Pick<LoggedMessages, 'run' | 'size' | 'root'>): string {
  return `${run} ${size} ${root}`
}
