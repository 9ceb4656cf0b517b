import type { LogState } from '../keys/leased-key.js'
import type { LoggedMessages } from '../keys/trust-policy.js'
import { type Instant, instantOf } from './instant.js'
import type { Lease } from './lease.js'

/** A lease that states a log, which its issuer has signed and the policy allows. */
export interface StatingLease extends Pick<Lease, 'log' | 'from'> {
  /**
   * Last time of receipt of the messages that it shows, in milliseconds since 1970. Its issuer's own time may have been over when it was
   * signed, so it shows no message that was received later, or at an unknown time. Default: it was received in that time, or that time has no end.
   */
  readonly countsUntil?: number | undefined
}

/** A time at which a log was there, at the latest, and for which messages that counts: in milliseconds since 1970. */
interface Statement {
  readonly at: number
  readonly countsUntil: number
}

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
  /** The statements that prove each root: none of them is later than another one that counts for as long. */
  readonly #roots = new Map<string, readonly Statement[]>()

  /** @returns whether what it lists lies in a stated log, as far as is known now */
  add({ root, before, leaves }: ListedLog): boolean {
    put(this.#before, root, before)
    for (const leaf of leaves) put(this.#leaves, leaf, root)
    const statements = this.#roots.get(root) ?? []
    for (const statement of statements) for (const one of all(this.#before, root)) this.#prove(one, statement)
    return statements.length > 0
  }

  /** Forgets a checkpoint. */
  delete({ root, before, leaves }: ListedLog): void {
    take(this.#before, root, before)
    for (const leaf of leaves) take(this.#leaves, leaf, root)
  }

  /** Takes all leases that state one of these logs, in place of those before. */
  state(leases: readonly StatingLease[]): void {
    this.#roots.clear()
    for (const { log, from, countsUntil = Number.POSITIVE_INFINITY } of leases) {
      if (log) this.#prove(nameOf(log), { at: (instantOf(from) as Instant).ms, countsUntil })
    }
  }

  /** Takes a log that was there at a time, in milliseconds since 1970, whatever leases state. */
  prove(log: LogState, at: number): void {
    this.#prove(nameOf(log), { at, countsUntil: Number.POSITIVE_INFINITY })
  }

  /**
   * Returns a time at which a message was in a stated log, in milliseconds since 1970; undefined if no statement shows it.
   *
   * @param receivedAt - when the message was received, if that is known
   */
  statedAt(leaf: string, receivedAt?: number): number | undefined {
    let first: number | undefined
    for (const root of all(this.#leaves, leaf)) first = earlier(first, this.#provedAt(root, receivedAt))
    return first
  }

  /** Returns the same for a checkpoint, by the root of its log. */
  rootStatedAt(log: LogState, receivedAt?: number): number | undefined {
    return this.#provedAt(nameOf(log), receivedAt)
  }

  #provedAt(root: string, receivedAt = Number.POSITIVE_INFINITY): number | undefined {
    let first: number | undefined
    for (const { at, countsUntil } of this.#roots.get(root) ?? []) {
      if (receivedAt <= countsUntil) first = earlier(first, at)
    }
    return first
  }

  /** Backwards, as far as checkpoints are there. */
  #prove(first: string, statement: Statement): void {
    const left = [first]
    for (let root = left.pop(); root !== undefined; root = left.pop()) {
      const known = this.#roots.get(root) ?? []
      // It may have been proved already, by an earlier lease.
      if (known.some((one) => saysNoLess(one, statement))) continue
      this.#roots.set(root, [...known.filter((one) => !saysNoLess(statement, one)), statement])
      left.push(...all(this.#before, root))
    }
  }
}

/** Returns whether one statement is as early as the other, and counts for as long. */
function saysNoLess(one: Statement, other: Statement): boolean {
  return one.at <= other.at && one.countsUntil >= other.countsUntil
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
