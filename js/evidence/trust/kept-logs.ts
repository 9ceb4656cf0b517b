import type { LoggedMessages } from '../../signing/keys/trust-policy.js'
import type { Lease } from './lease.js'
import { type ListedLog, listedLog, StatedLogs, type StatingLease } from './stated-logs.js'

/** Limits of messages in the logs of one issuer, and in all logs: about 150 bytes each. A checkpoint counts as one more. */
const MOST_OF_ONE = 100_000
const MOST = 1_000_000

interface Kept {
  readonly name: string
  readonly keyId: string
  readonly issuer: string
  readonly log: ListedLog
  readonly count: number
}

/**
 * Logs of keys that have leases, from checkpoints that come one by one. At capacity, the oldest are dropped; an issuer
 * with too many loses its own oldest. A late message brings its checkpoints with it.
 */
export class KeptLogs {
  readonly #most: number
  readonly #mostOfOne: number
  readonly #logs = new Map<string, StatedLogs>()
  /** All logs, the oldest first; `#ofIssuers` has the same by issuer. */
  readonly #kept = new Map<string, Kept>()
  readonly #ofIssuers = new Map<string, Map<string, Kept>>()
  readonly #counts = new Map<string, number>()
  #count = 0
  readonly #proved = new Set<string>()

  constructor(most = MOST, mostOfOne = MOST_OF_ONE) {
    this.#most = most
    this.#mostOfOne = mostOfOne
  }

  /** @param lease - a lease of the key that has signed the checkpoint */
  add(checkpoint: LoggedMessages, { keyId, issuer }: Pick<Lease, 'keyId' | 'issuer'>): void {
    const log = listedLog(checkpoint)
    if (!log) return
    const name = `${keyId} ${log.before} ${log.root}`
    if (this.#kept.has(name)) return
    const kept: Kept = { name, keyId, issuer, log, count: 1 + log.leaves.size }
    if (this.#of(keyId).add(log)) this.#proved.add(keyId)
    this.#kept.set(name, kept)
    const own = this.#ofIssuers.get(issuer) ?? new Map<string, Kept>()
    this.#ofIssuers.set(issuer, own.set(name, kept))
    this.#counted(kept, kept.count)
    while ((this.#counts.get(issuer) ?? 0) > this.#mostOfOne) this.#dropFirst(own)
    while (this.#count > this.#most) this.#dropFirst(this.#kept)
  }

  /** Sets all leases of a key that state a log. The key may have no checkpoint yet. */
  state(keyId: string, leases: readonly StatingLease[]): void {
    if (leases.length > 0) this.#of(keyId).state(leases)
    else this.#logs.get(keyId)?.state(leases)
  }

  #of(keyId: string): StatedLogs {
    const logs = this.#logs.get(keyId) ?? new StatedLogs()
    this.#logs.set(keyId, logs)
    return logs
  }

  get(keyId: string): StatedLogs | undefined {
    return this.#logs.get(keyId)
  }

  /** Drops the logs of a key whose last lease was dropped, because no lease needs them. */
  forget({ keyId, issuer }: Pick<Lease, 'keyId' | 'issuer'>): void {
    const own = this.#ofIssuers.get(issuer)?.values() ?? []
    for (const kept of [...own]) if (kept.keyId === keyId) this.#drop(kept)
    this.#logs.delete(keyId)
  }

  /** Returns the keys of which more was proved since the last call. */
  takeProved(): readonly string[] {
    if (this.#proved.size === 0) return []
    const proved = [...this.#proved]
    this.#proved.clear()
    return proved
  }

  #dropFirst(some: ReadonlyMap<string, Kept>): void {
    const [first] = some.values()
    if (first) this.#drop(first)
  }

  #drop(kept: Kept): void {
    const { name, keyId, issuer, log } = kept
    this.#kept.delete(name)
    this.#ofIssuers.get(issuer)?.delete(name)
    this.#counted(kept, -kept.count)
    this.#logs.get(keyId)?.delete(log)
  }

  #counted({ issuer }: Kept, count: number): void {
    this.#count += count
    const own = (this.#counts.get(issuer) ?? 0) + count
    if (own > 0) this.#counts.set(issuer, own)
    else {
      this.#counts.delete(issuer)
      this.#ofIssuers.delete(issuer)
    }
  }
}
