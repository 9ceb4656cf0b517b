import { addToSet, deleteFromSet } from '../../../foundation/base/map-of-sets.js'
import type { LoggedMessages } from '../../../signing/keys/trust-policy.js'
import { type CheckpointLog, logListOf, StatedLogs, type StatingLease } from '../permits/stated-logs.js'
import type { Lease } from './lease.js'

/**
 * Maximum number of messages in the logs of one issuer; `MAX_MESSAGES` limits all logs together. A message
 * takes about 150 bytes. A checkpoint counts as a message, too.
 */
const MAX_MESSAGES_OF_ISSUER = 100_000
const MAX_MESSAGES = 1_000_000

interface CacheEntry {
  readonly name: string
  readonly keyId: string
  readonly issuer: string
  readonly log: CheckpointLog
  readonly count: number
}

/**
 * Cache of the logs of leased keys, from checkpoints that arrive one by one. At capacity, the oldest logs are
 * dropped. An issuer with too many messages loses its own oldest logs. Dropping is harmless, because a late
 * message arrives with its checkpoints.
 */
export class LogCache {
  readonly #maxMessages: number
  readonly #maxOfIssuer: number
  readonly #logs = new Map<string, StatedLogs>()
  /** All logs, the oldest first. `#byIssuer` has the same logs by issuer. */
  readonly #entries = new Map<string, CacheEntry>()
  readonly #byIssuer = new Map<string, Set<CacheEntry>>()
  /** The same logs by the id of their key. Different leases of a key may have different issuers. */
  readonly #byKey = new Map<string, Set<CacheEntry>>()
  readonly #counts = new Map<string, number>()
  #total = 0
  readonly #provedKeys = new Set<string>()

  constructor(maxMessages = MAX_MESSAGES, maxOfIssuer = MAX_MESSAGES_OF_ISSUER) {
    this.#maxMessages = maxMessages
    this.#maxOfIssuer = maxOfIssuer
  }

  add(checkpoint: LoggedMessages, { keyId, issuer }: Pick<Lease, 'keyId' | 'issuer'>): void {
    const log = logListOf(checkpoint)
    if (!log) return
    const name = `${keyId} ${log.before} ${log.root}`
    if (this.#entries.has(name)) return
    const entry: CacheEntry = { name, keyId, issuer, log, count: 1 + log.leaves.size }
    if (this.#logsOf(keyId).add(log)) this.#provedKeys.add(keyId)
    this.#entries.set(name, entry)
    const issuerEntries = addToSet(this.#byIssuer, issuer, entry)
    addToSet(this.#byKey, keyId, entry)
    this.#addCount(entry, entry.count)
    while ((this.#counts.get(issuer) ?? 0) > this.#maxOfIssuer) this.#dropFirst(issuerEntries)
    while (this.#total > this.#maxMessages) this.#dropFirst(this.#entries.values())
  }

  state(keyId: string, leases: readonly StatingLease[]): void {
    if (leases.length > 0) this.#logsOf(keyId).state(leases)
    else this.#logs.get(keyId)?.state(leases)
  }

  #logsOf(keyId: string): StatedLogs {
    const logs = this.#logs.get(keyId) ?? new StatedLogs()
    this.#logs.set(keyId, logs)
    return logs
  }

  get(keyId: string): StatedLogs | undefined {
    return this.#logs.get(keyId)
  }

  /** Drops the logs of a key after its last lease was dropped, because no other lease needs them. */
  forget(keyId: string): void {
    for (const entry of [...(this.#byKey.get(keyId) ?? [])]) this.#drop(entry)
    this.#logs.delete(keyId)
  }

  /** Returns the ids of keys for which known leases have proved new checkpoints since the last call. */
  takeProved(): readonly string[] {
    if (this.#provedKeys.size === 0) return []
    const proved = [...this.#provedKeys]
    this.#provedKeys.clear()
    return proved
  }

  #dropFirst(entries: Iterable<CacheEntry>): void {
    const [first] = entries
    if (first) this.#drop(first)
  }

  #drop(entry: CacheEntry): void {
    const { name, keyId, issuer, log } = entry
    this.#entries.delete(name)
    deleteFromSet(this.#byIssuer, issuer, entry)
    deleteFromSet(this.#byKey, keyId, entry)
    this.#addCount(entry, -entry.count)
    this.#logs.get(keyId)?.delete(log)
  }

  #addCount({ issuer }: CacheEntry, count: number): void {
    this.#total += count
    const issuerCount = (this.#counts.get(issuer) ?? 0) + count
    if (issuerCount > 0) this.#counts.set(issuer, issuerCount)
    else this.#counts.delete(issuer)
  }
}
