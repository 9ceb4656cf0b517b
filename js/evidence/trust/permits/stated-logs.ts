import type { LogState } from '../../../signing/keys/leased-key.js'
import type { LoggedMessages } from '../../../signing/keys/trust-policy.js'
import type { Lease } from '../leases/lease.js'
import { type Instant, instantOf } from '../policy/instant.js'

/** Lease that states a log: its issuer has signed it, and the policy allows it. */
export interface StatingLease extends Pick<Lease, 'log' | 'from'> {
  /**
   * Latest time of receipt of the messages that the lease shows, in milliseconds since 1970. The issuer's own time may
   * have been over when it signed the lease. Therefore the lease shows no message that was received later, or at an
   * unknown time. Default: no limit, because the lease was received in that time, or that time has no end.
   */
  readonly countsUntil?: number | undefined
}

/**
 * Latest time at which a log existed, and the limit of receipt of messages that it counts for: both in milliseconds
 * since 1970.
 */
interface Statement {
  readonly at: number
  readonly countsUntil: number
}

/** The part of a checkpoint that proves something about its log. */
export interface LogList {
  /** Name of the checkpoint's log. */
  readonly root: string
  /** Name of the log before the checkpoint's list. */
  readonly before: string
  readonly leaves: ReadonlySet<string>
}

/** Returns the log of a checkpoint; undefined without peaks or without a list, because it then proves nothing. */
export function logListOf({ run, size, root, from, peaks, entries }: LoggedMessages): LogList | undefined {
  if (!peaks || from.size >= size) return undefined
  const leaves = new Set(entries.flatMap(({ leaf }) => (leaf === undefined ? [] : [leaf])))
  return { root: logName({ run, size, root }), before: logName({ run, ...from }), leaves }
}

/**
 * Messages in logs of one key that leases state, and the latest time at which each existed (FORMAT.md, A log that a
 * lease states). Checkpoints and leases may come in any order: a checkpoint is proved when the root of its log is, and
 * proves the root of the one before it.
 */
export class StatedLogs {
  /** Roots of the logs whose lists contain a message, by message. */
  readonly #leaves: SetMap = new Map()
  /** Logs that are proved together with a log, by the root of the latter. */
  readonly #before: SetMap = new Map()
  /** Statements that prove each root: none of them is later than another one that counts for as long. */
  readonly #roots = new Map<string, readonly Statement[]>()

  /**
   * Adds a checkpoint.
   *
   * @returns whether its list is in a stated log, as far as the known leases and checkpoints show
   */
  add({ root, before, leaves }: LogList): boolean {
    addTo(this.#before, root, before)
    for (const leaf of leaves) addTo(this.#leaves, leaf, root)
    const statements = this.#roots.get(root) ?? []
    for (const statement of statements) for (const one of all(this.#before, root)) this.#prove(one, statement)
    return statements.length > 0
  }

  delete({ root, before, leaves }: LogList): void {
    deleteFrom(this.#before, root, before)
    for (const leaf of leaves) deleteFrom(this.#leaves, leaf, root)
  }

  /** Replaces all leases that state one of these logs. */
  state(leases: readonly StatingLease[]): void {
    this.#roots.clear()
    for (const { log, from, countsUntil = Number.POSITIVE_INFINITY } of leases) {
      if (log) this.#prove(logName(log), { at: (instantOf(from) as Instant).ms, countsUntil })
    }
  }

  /** Adds a log that existed at a time, in milliseconds since 1970, whatever leases state. */
  prove(log: LogState, at: number): void {
    this.#prove(logName(log), { at, countsUntil: Number.POSITIVE_INFINITY })
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

  /** Returns the same time for a checkpoint, by the root of its log. */
  rootStatedAt(log: LogState, receivedAt?: number): number | undefined {
    return this.#provedAt(logName(log), receivedAt)
  }

  #provedAt(root: string, receivedAt = Number.POSITIVE_INFINITY): number | undefined {
    let first: number | undefined
    for (const { at, countsUntil } of this.#roots.get(root) ?? []) {
      if (receivedAt <= countsUntil) first = earlier(first, at)
    }
    return first
  }

  /** Proves a log, and all logs before it as far as there are checkpoints. */
  #prove(first: string, statement: Statement): void {
    const left = [first]
    for (let root = left.pop(); root !== undefined; root = left.pop()) {
      const known = this.#roots.get(root) ?? []
      // Stop where an earlier lease has proved the log already.
      if (known.some((one) => isAtLeast(one, statement))) continue
      this.#roots.set(root, [...known.filter((one) => !isAtLeast(statement, one)), statement])
      left.push(...all(this.#before, root))
    }
  }
}

/** Returns whether one statement is as early as the other, and counts for as long. */
function isAtLeast(one: Statement, other: Statement): boolean {
  return one.at <= other.at && one.countsUntil >= other.countsUntil
}

/** Returns the earlier of two times, or the only known one. */
export function earlier(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return Math.min(one, other)
}

/** Map with one or several values for a key: nearly every message and root is in one checkpoint, which needs no set. */
type SetMap = Map<string, string | Set<string>>

function all(several: SetMap, key: string): Iterable<string> {
  const known = several.get(key)
  return typeof known === 'string' ? [known] : (known ?? [])
}

function addTo(several: SetMap, key: string, one: string): void {
  const known = several.get(key)
  if (known === undefined) several.set(key, one)
  else if (typeof known !== 'string') known.add(one)
  else if (known !== one) several.set(key, new Set([known, one]))
}

function deleteFrom(several: SetMap, key: string, one: string): void {
  const known = several.get(key)
  if (known === one) several.delete(key)
  else if (known instanceof Set && known.delete(one) && known.size === 0) several.delete(key)
}

/** Names a log of this size and root. */
function logName({ run, size, root }: Pick<LoggedMessages, 'run' | 'size' | 'root'>): string {
  return `${run} ${size} ${root}`
}
