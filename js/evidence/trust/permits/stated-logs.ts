import type { LogState } from '../../../signing/keys/leased-key.js'
import type { LoggedMessages } from '../../../signing/keys/trust-policy.js'
import type { Lease } from '../leases/lease.js'
import { type Instant, instantOf } from '../policy/instant.js'

/** Lease with a field `log`: its issuer states that the log existed at `from`. The policy allows the lease. */
export interface StatingLease extends Pick<Lease, 'log' | 'from'> {
  /**
   * Latest time of receipt, in milliseconds since 1970, of messages that the lease can prove. Set if the time
   * of receipt of the lease is unknown and the issuer's validity has an end: the issuer may have signed the
   * lease after that end. The lease then proves nothing about messages that were received later than
   * `countsUntil`, or at an unknown time.
   */
  readonly countsUntil?: number | undefined
}

/**
 * Statement that a log existed at the time `at`. It proves nothing about messages received after `countsUntil`.
 * Times are in milliseconds since 1970.
 */
interface Statement {
  readonly at: number
  readonly countsUntil: number
}

export interface CheckpointLog {
  /** Name of the checkpoint's log: its run, size and root. */
  readonly root: string
  /** Name of the log as it was before the messages that the checkpoint lists. */
  readonly before: string
  readonly leaves: ReadonlySet<string>
}

/**
 * Returns the log of a checkpoint. Returns undefined if the checkpoint proves nothing, because it has no
 * peaks or lists no messages.
 */
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
 * Messages of one key, and the time by which each existed, as proved by leases that contain the size and root of a
 * log (FORMAT.md, A log that a lease states). Checkpoints and leases may arrive in any order. A statement about the
 * root of a checkpoint also holds for the messages that the checkpoint lists, and for the log before them.
 */
export class StatedLogs {
  /** Names of the logs whose checkpoints list a message, by the leaf hash of the message. */
  readonly #rootsByLeaf: SetMap = new Map()
  /**
   * Names of a log's earlier sizes, by the name of a later size. If the later size existed at some time, all
   * earlier sizes had existed by then.
   */
  readonly #before: SetMap = new Map()
  /** Statements that prove each root. A statement is dropped if another one is as early and counts for as long. */
  readonly #roots = new Map<string, readonly Statement[]>()

  /** Adds a checkpoint. @returns whether the known leases and checkpoints prove when its messages existed */
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

  /** Replaces the key's leases that have a `log`. */
  state(leases: readonly StatingLease[]): void {
    this.#roots.clear()
    for (const { log, from, countsUntil = Number.POSITIVE_INFINITY } of leases) {
      if (log) this.#prove(logName(log), { at: (instantOf(from) as Instant).ms, countsUntil })
    }
  }

  /** Adds a log that existed at the time `at` (milliseconds since 1970), even if no lease contains it as `log`. */
  prove(log: LogState, at: number): void {
    this.#prove(logName(log), { at, countsUntil: Number.POSITIVE_INFINITY })
  }

  /**
   * Returns the earliest time, in milliseconds since 1970, at which a log is proved to have contained a message;
   * undefined if no statement proves it.
   *
   * @param receivedAt - time at which the message was received, if it is known
   */
  statedAt(leaf: string, receivedAt?: number): number | undefined {
    let first: number | undefined
    for (const root of all(this.#rootsByLeaf, leaf)) first = earlier(first, this.#provedAt(root, receivedAt))
    return first
  }

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

  /** Applies a statement to a log, and to all earlier sizes of the log that checkpoints connect with it. */
  #prove(first: string, statement: Statement): void {
    const left = [first]
    for (let root = left.pop(); root !== undefined; root = left.pop()) {
      const known = this.#roots.get(root) ?? []
      // Skip a log with a known statement that is as early and counts for as long, and all earlier sizes of the log.
      if (known.some((one) => isAtLeast(one, statement))) continue
      this.#roots.set(root, [...known.filter((one) => !isAtLeast(statement, one)), statement])
      left.push(...all(this.#before, root))
    }
  }
}

function isAtLeast(one: Statement, other: Statement): boolean {
  return one.at <= other.at && one.countsUntil >= other.countsUntil
}

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

function logName({ run, size, root }: Pick<LoggedMessages, 'run' | 'size' | 'root'>): string {
  return `${run} ${size} ${root}`
}
