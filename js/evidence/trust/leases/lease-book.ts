import { toBytes } from '../../../foundation/base/bytes/hex.js'
import { addToSet, deleteFromSet } from '../../../foundation/base/map-of-sets.js'
import type { Engine } from '../../../foundation/model/payload.js'
import { Keyring } from '../../../signing/keys/keyring.js'
import type {
  BookCapacity,
  LeaseBook,
  LeaseKeyring,
  LoggedMessages,
} from '../../../signing/keys/trust-policy.js'
import type { PolicyPermits } from '../permits/policy-permits.js'
import { type Instant, instantOf } from '../policy/instant.js'
import type { Lease, SignedLease } from './lease.js'
import { LeaseKey, statingLeasesOf } from './lease-key.js'
import { LeasePermits } from './lease-permits.js'
import { LogCache } from './log-cache.js'

/** Default maximum number of leases of one issuer, so that one issuer cannot fill the book. */
const MAX_LEASES_OF_ISSUER = 1024
const MAX_LEASES = 10_000
/**
 * Maximum average length of the signed bytes of leases in a full book: the signed bytes of 10,000 leases are
 * at most 32 MiB in total. Single leases may be longer than the average.
 */
const MAX_BYTES_PER_LEASE = 3_355

interface BookEntry {
  readonly lease: Lease
  readonly bytes: number
  readonly ends: bigint
  readonly receivedAt: number | undefined
  /** Signature of the issuer, followed by that of the subject. */
  readonly signatures: string
}

/**
 * Leases that arrive one by one. Their signatures stay valid when the policy changes, but the current policy
 * decides which leases an issuer may give. At capacity, drops the lease that ends first, so that an expired
 * lease never displaces a valid one.
 */
export class Book implements LeaseBook {
  /** Leases by their signed bytes, so that a copy with other signatures is not stored twice. */
  readonly #entries = new Map<string, BookEntry>()
  readonly #byIssuer = new Map<string, Set<string>>()
  readonly #byKey = new Map<string, Set<string>>()
  readonly #keyring: Keyring
  /** Logs of leased keys, from their checkpoints and from the leases that have a `log`. */
  readonly #logs: LogCache
  readonly #maxLeases: number
  readonly #maxOfIssuer: number
  #bytes = 0
  hasLogs = false
  fault: string | undefined
  /** Current policy. `#keys` has the leased keys that were checked by this policy. */
  #policy: PolicyPermits | undefined
  readonly #keys = new Map<string, readonly LeaseKey[]>()

  constructor(room?: BookCapacity, engine?: Engine) {
    this.#keyring = new Keyring([], { engine })
    this.#maxLeases = room?.leases ?? MAX_LEASES
    this.#maxOfIssuer = room?.leases ?? MAX_LEASES_OF_ISSUER
    this.#logs = new LogCache(room?.logged, room?.logged)
  }

  get size(): number {
    return this.#entries.size
  }

  has(identity: Uint8Array): boolean {
    return this.#entries.has(nameOf(identity))
  }

  hasSame(identity: Uint8Array, lease: SignedLease): boolean {
    return this.#entries.get(nameOf(identity))?.signatures === signaturesOf(lease)
  }

  /**
   * Adds a verified lease.
   *
   * @param lease - lease with a verified signature of its issuer
   * @param receivedAt - time of receipt in milliseconds since 1970, if it is known
   */
  add(lease: SignedLease & Lease, identity: Uint8Array, receivedAt?: number): void {
    const name = nameOf(identity)
    const ends = (instantOf(lease.until) as Instant).ns
    this.#keyring.add(toBytes(lease.subject) as Uint8Array)
    const signatures = signaturesOf(lease)
    this.#entries.set(name, { lease, bytes: identity.length, ends, receivedAt, signatures })
    this.#bytes += identity.length
    const ofIssuer = addToSet(this.#byIssuer, lease.issuer, name)
    addToSet(this.#byKey, lease.keyId, name)
    this.#keys.delete(lease.keyId)
    if (lease.log) this.hasLogs = true
    if (ofIssuer.size > this.#maxOfIssuer) this.#drop(ofIssuer)
    while (this.#entries.size > this.#maxLeases || this.#bytes > MAX_BYTES_PER_LEASE * this.#maxLeases)
      this.#drop(this.#entries.keys())
  }

  /** Returns the leased keys, with the permissions that a policy gives to their issuers. */
  under(judge: PolicyPermits): LeaseKeyring {
    if (this.#policy !== judge) this.#keys.clear()
    this.#policy = judge
    const keys = { get: (keyId: string) => this.#keysOf(keyId, judge) }
    // Return logs only while this policy is current. Otherwise a message would be checked by the old policy,
    // but with the logs of the new one.
    const logs = { get: (keyId: string) => (this.#policy === judge ? this.#logs.get(keyId) : undefined) }
    return { keyring: this.#keyring, judge: new LeasePermits(keys, logs), fault: this.fault }
  }

  isLeased(keyId: string): boolean {
    return this.#byKey.has(keyId)
  }

  log(checkpoint: LoggedMessages): void {
    const [name] = this.#byKey.get(checkpoint.signer) ?? []
    if (name !== undefined) this.#logs.add(checkpoint, (this.#entries.get(name) as BookEntry).lease)
  }

  takeNewlyProvedKeys(): readonly string[] {
    return this.#logs.takeProved()
  }

  close(): void {
    this.#keyring.close()
  }

  #keysOf(keyId: string, judge: PolicyPermits): readonly LeaseKey[] {
    const known = this.#policy === judge ? this.#keys.get(keyId) : undefined
    if (known) return known
    const names = judge.knows(keyId) ? [] : [...(this.#byKey.get(keyId) ?? [])]
    const keys = names
      .map((name) => this.#entries.get(name) as BookEntry)
      .filter(({ lease }) => judge.knows(lease.issuer))
      .map(({ lease, receivedAt }) => new LeaseKey(judge.keyOf(lease.issuer), lease, receivedAt))
    if (this.#policy !== judge) return keys
    this.#keys.set(keyId, keys)
    this.#logs.state(keyId, statingLeasesOf(keys))
    return keys
  }

  #drop(names: Iterable<string>): void {
    let first: string | undefined
    for (const name of names) if (first === undefined || this.#ends(name) < this.#ends(first)) first = name
    if (first === undefined) return
    const { lease, bytes } = this.#entries.get(first) as BookEntry
    this.#entries.delete(first)
    this.#bytes -= bytes
    deleteFromSet(this.#byIssuer, lease.issuer, first)
    deleteFromSet(this.#byKey, lease.keyId, first)
    this.#keys.delete(lease.keyId)
    if (this.#byKey.has(lease.keyId)) return
    this.#keyring.delete(lease.keyId)
    this.#logs.forget(lease.keyId)
  }

  #ends(name: string): bigint {
    return (this.#entries.get(name) as BookEntry).ends
  }
}

function signaturesOf({ signature, subjectSignature }: SignedLease): string {
  return signature + subjectSignature
}

function nameOf(identity: Uint8Array): string {
  return new TextDecoder('latin1').decode(identity)
}
