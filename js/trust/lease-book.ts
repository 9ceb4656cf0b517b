import { toBytes } from '../base/bytes/hex.js'
import { Keyring } from '../keys/keyring.js'
import type { BookRoom, LeaseBook, Leased, LoggedMessages } from '../keys/trust-policy.js'
import type { Engine } from '../model/payload.js'
import { type Instant, instantOf } from './instant.js'
import type { PolicyJudge } from './judge.js'
import { JudgedLeaseKey, statingOf } from './judged-lease-key.js'
import { KeptLogs } from './kept-logs.js'
import type { Lease, SignedLease } from './lease.js'
import { LeaseJudge } from './lease-judge.js'

/** Of one issuer: however many it signs, they never displace the leases of others. */
const MOST_OF_ONE = 1024
const MOST = 10_000
/** Each, on average. */
const MOST_BYTES = 3_355

interface KnownLease {
  readonly lease: Lease
  readonly bytes: number
  readonly ends: bigint
  readonly receivedAt: number | undefined
  /** Both signatures, one behind the other. */
  readonly signatures: string
}

/**
 * Leases that come one by one, each with a verified signature of its issuer. The signature stays good whatever the policy says later;
 * what the issuer may give, the current policy decides. When there is no room, the lease that ends first is dropped: so an expired one
 * that is sent again displaces no other.
 */
export class Book implements LeaseBook {
  /** By their signed bytes: a lease whose signature is spelled differently is not kept twice. */
  readonly #entries = new Map<string, KnownLease>()
  readonly #ofIssuers = new Map<string, Set<string>>()
  readonly #ofKeys = new Map<string, Set<string>>()
  readonly #keyring: Keyring
  /** What their keys have signed, where they state it. */
  readonly #logs: KeptLogs
  readonly #most: number
  readonly #mostOfOne: number
  #bytes = 0
  hasLogs = false
  fault: string | undefined
  /** The current judge, and its verdicts about keys. */
  #judge: PolicyJudge | undefined
  readonly #judged = new Map<string, readonly JudgedLeaseKey[]>()

  /** @param engine - where signatures of leased keys are verified */
  constructor(room?: BookRoom, engine?: Engine) {
    this.#keyring = new Keyring([], { engine })
    this.#most = room?.leases ?? MOST
    this.#mostOfOne = room?.leases ?? MOST_OF_ONE
    this.#logs = new KeptLogs(room?.logged, room?.logged)
  }

  get size(): number {
    return this.#entries.size
  }

  has(identity: Uint8Array): boolean {
    return this.#entries.has(nameOf(identity))
  }

  /** Returns whether it has the same lease with the same signatures, which are good. */
  hasSame(identity: Uint8Array, lease: SignedLease): boolean {
    return this.#entries.get(nameOf(identity))?.signatures === signaturesOf(lease)
  }

  /**
   * @param lease - that its issuer has signed, and the key that it is given to
   * @param receivedAt - in milliseconds since 1970, if it is known
   */
  add(lease: SignedLease & Lease, identity: Uint8Array, receivedAt?: number): void {
    const name = nameOf(identity)
    const ends = (instantOf(lease.until) as Instant).ns
    this.#keyring.add(toBytes(lease.subject) as Uint8Array)
    const signatures = signaturesOf(lease)
    this.#entries.set(name, { lease, bytes: identity.length, ends, receivedAt, signatures })
    this.#bytes += identity.length
    put(this.#ofIssuers, lease.issuer, name)
    put(this.#ofKeys, lease.keyId, name)
    this.#judged.delete(lease.keyId)
    const ofIssuer = this.#ofIssuers.get(lease.issuer) as Set<string>
    if (lease.log) this.hasLogs = true
    if (ofIssuer.size > this.#mostOfOne) this.#drop(ofIssuer)
    while (this.#entries.size > this.#most || this.#bytes > MOST_BYTES * this.#most)
      this.#drop(this.#entries.keys())
  }

  /** The keys that the leases are given to, as this policy has their issuers. */
  under(judge: PolicyJudge): Leased {
    if (this.#judge !== judge) this.#judged.clear()
    this.#judge = judge
    const keys = { get: (keyId: string) => this.#keysOf(keyId, judge) }
    // Only while this judge is the current one: no message is judged half by one policy and half by another.
    const logs = { get: (keyId: string) => (this.#judge === judge ? this.#logs.get(keyId) : undefined) }
    return { keyring: this.#keyring, judge: new LeaseJudge(keys, logs), fault: this.fault }
  }

  isLeased(keyId: string): boolean {
    return this.#ofKeys.has(keyId)
  }

  log(checkpoint: LoggedMessages): void {
    const [name] = this.#ofKeys.get(checkpoint.signer) ?? []
    if (name !== undefined) this.#logs.add(checkpoint, (this.#entries.get(name) as KnownLease).lease)
  }

  takeProved(): readonly string[] {
    return this.#logs.takeProved()
  }

  close(): void {
    this.#keyring.close()
  }

  #keysOf(keyId: string, judge: PolicyJudge): readonly JudgedLeaseKey[] {
    const known = this.#judge === judge ? this.#judged.get(keyId) : undefined
    if (known) return known
    const names = judge.knows(keyId) ? [] : [...(this.#ofKeys.get(keyId) ?? [])]
    const keys = names
      .map((name) => this.#entries.get(name) as KnownLease)
      .filter(({ lease }) => judge.knows(lease.issuer))
      .map(({ lease, receivedAt }) => new JudgedLeaseKey(judge.keyOf(lease.issuer), lease, receivedAt))
    if (this.#judge !== judge) return keys
    this.#judged.set(keyId, keys)
    this.#logs.state(keyId, statingOf(keys))
    return keys
  }

  /** The one of these that ends first. */
  #drop(names: Iterable<string>): void {
    let first: string | undefined
    for (const name of names) if (first === undefined || this.#ends(name) < this.#ends(first)) first = name
    if (first === undefined) return
    const { lease, bytes } = this.#entries.get(first) as KnownLease
    this.#entries.delete(first)
    this.#bytes -= bytes
    take(this.#ofIssuers, lease.issuer, first)
    take(this.#ofKeys, lease.keyId, first)
    this.#judged.delete(lease.keyId)
    if (this.#ofKeys.has(lease.keyId)) return
    this.#keyring.delete(lease.keyId)
    this.#logs.forget(lease)
  }

  #ends(name: string): bigint {
    return (this.#entries.get(name) as KnownLease).ends
  }
}

function put(sets: Map<string, Set<string>>, key: string, name: string): void {
  sets.set(key, (sets.get(key) ?? new Set()).add(name))
}

function take(sets: Map<string, Set<string>>, key: string, name: string): void {
  const set = sets.get(key)
  set?.delete(name)
  if (set?.size === 0) sets.delete(key)
}

function signaturesOf({ signature, subjectSignature }: SignedLease): string {
  return signature + subjectSignature
}

function nameOf(identity: Uint8Array): string {
  return new TextDecoder('latin1').decode(identity)
}
