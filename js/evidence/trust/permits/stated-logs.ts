import type { LogState } from '../../../signing/keys/leased-key.js'
import type { LoggedMessages } from '../../../signing/keys/trust-policy.js'
import type { Lease } from '../leases/lease.js'
import { type Instant, instantOf } from '../policy/instant.js'

/** Lease that states a log. Its issuer has signed it, and the policy allows it. */
export interface StatingLease extends Pick<Lease, 'log' | 'from'> {
  /**
   * Latest time of receipt, in milliseconds since 1970, of the messages that the lease counts for. The issuer
   * may have signed the lease after the end of its validity, so the lease shows nothing about messages that
   * were received later, or at an unknown time. Undefined if the lease was received in time, or if
   * the issuer's validity has no end.
   */
  readonly countsUntil?: number | undefined
}

/**
 * Statement that a log existed at the time `at`. It counts for messages that were received until `countsUntil`.
 * Times are in milliseconds since 1970.
 */
interface Statement {
  readonly at: number
  readonly countsUntil: number
}

/** Fields of a checkpoint that prove the contents of its log. */
export interface CheckpointLog {
  /** Name of the checkpoint's log: its run, size and root. */
  readonly root: string
  /** Name of the log before the messages that the checkpoint lists. */
  readonly before: string
  readonly leaves: ReadonlySet<string>
}

/** Returns the log of a checkpoint; undefined without peaks or a list, because the checkpoint then proves nothing. */
export function logListOf({
  run,
  size,
  root,
  from,
  peaks,
  entries,
}: LoggedMessages): CheckpointLog | undefined {
  if (!peaks || from.size >= size) return undefined
  const leaves = new Set(entries.flatMap(({ leaf }) => (leaf === undefined ? [] : [leaf])))
  return { root: logName({ run, size, root }), before: logName({ run, ...from }), leaves }
}

/**
 * Messages in logs of one key that leases state, and the time by which each message existed (FORMAT.md, A log that
 * a lease states). Checkpoints and leases may arrive in any order. A statement about the root of a checkpoint also
 * holds for the messages that the checkpoint lists, and for the log before them.
 */
export class StatedLogs {
  /** Roots of the logs that list a message, by the leaf hash of the message. */
  readonly #rootsByLeaf: SetMap = new Map()
  /** Earlier logs that are proved together with a log, by the root of the later log. */
  readonly #before: SetMap = new Map()
  /** Statements that prove each root. A statement is dropped if another one is as early and counts for as long. */
  readonly #roots = new Map<string, readonly Statement[]>()

  /** Adds a checkpoint. @returns whether its messages are in a stated log, by the known leases and checkpoints */
  add({ root, before, leaves }: CheckpointLog): boolean {
    addTo(this.#before, root, before)
    for (const leaf of leaves) addTo(this.#rootsByLeaf, leaf, root)
    const statements = this.#roots.get(root) ?? []
    for (const statement of statements) for (const one of all(this.#before, root)) this.#prove(one, statement)
    return statements.length > 0
  }

  delete({ root, before, leaves }: CheckpointLog): void {
    deleteFrom(this.#before, root, before)
    for (const leaf of leaves) deleteFrom(this.#rootsByLeaf, leaf, root)
  }

  /** Replaces the leases that state a log of the key. */
  state(leases: readonly StatingLease[]): void {
    this.#roots.clear()
    for (const { log, from, countsUntil = Number.POSITIVE_INFINITY } of leases) {
      if (log) this.#prove(logName(log), { at: (instantOf(from) as Instant).ms, countsUntil })
    }
  }

  /** Adds a log that existed at the time `at` (milliseconds since 1970), even if no lease states the log. */
  prove(log: LogState, at: number): void {
    this.#prove(logName(log), { at, countsUntil: Number.POSITIVE_INFINITY })
  }

  /**
   * Returns the earliest time at which a stated log contained a message, in milliseconds since 1970;
   * undefined if no statement shows it.
   *
   * @param receivedAt - time at which the message was received, if it is known
   */
  statedAt(leaf: string, receivedAt?: number): number | undefined {
    let first: number | undefined
    for (const root of all(this.#rootsByLeaf, leaf)) first = earlier(first, this.#provedAt(root, receivedAt))
    return first
  }

  /** Returns the earliest time at which a log existed, as {@link statedAt} does for a message. */
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

  /** Proves a log, and all earlier logs that checkpoints connect with it. */
  #prove(first: string, statement: Statement): void {
    const left = [first]
    for (let root = left.pop(); root !== undefined; root = left.pop()) {
      const known = this.#roots.get(root) ?? []
      // Stop at a log with a known statement that is as early and counts for as long.
      if (known.some((one) => isAtLeast(one, statement))) continue
      this.#roots.set(root, [...known.filter((one) => !isAtLeast(statement, one)), statement])
      left.push(...all(this.#before, root))
    }
  }
}

/** Returns whether `one` is at least as early as `other`, and counts for at least as long. */
function isAtLeast(one: Statement, other: Statement): boolean {
  return one.at <= other.at && one.countsUntil >= other.countsUntil
}

/** Returns the earlier of two times, or the only known one. */
export function earlier(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return Math.min(one, other)
}

/** Map with one or several values per key. Nearly every message and root is in one checkpoint and needs no `Set`. */
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

/** Returns the name of a log: its run, size and root. */
function logName({ run, size, root }: Pick<LoggedMessages, 'run' | 'size' | 'root'>): string {
  return `${run} ${size} ${root}`
}
