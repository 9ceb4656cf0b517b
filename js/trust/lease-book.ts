import { toBytes } from '../base/bytes/hex.js'
import { Keyring } from '../keys/keyring.js'
import type { Judging, LeaseBook } from '../keys/trust-policy.js'
import { type Instant, instantOf } from './instant.js'
import type { PolicyJudge } from './judge.js'
import type { Lease } from './lease.js'
import { LeasedKey, LeaseJudge } from './lease-judge.js'

/** Of one issuer: nobody else's leases give way to them, however many it signs. */
const MOST_OF_ONE = 1024
const MOST = 10_000
const MOST_BYTES = 32 * 1024 * 1024

interface Entry {
  readonly lease: Lease
  readonly bytes: number
  readonly ends: bigint
}

/**
 * Leases that come one by one, each of which its issuer has signed. That stays true whatever the policy says later; what the issuer may
 * give is asked of the policy that holds then. Where there is no room, the one that ends first gives way: what is sent again and is
 * over puts nobody out.
 */
export class Book implements LeaseBook {
  /** By what is signed of them: whoever writes a signature in another way does not have it kept twice. */
  readonly #entries = new Map<string, Entry>()
  readonly #ofIssuers = new Map<string, Set<string>>()
  readonly #ofKeys = new Map<string, Set<string>>()
  readonly #keyring = new Keyring()
  #bytes = 0
  /** Who judges now, and what it says of the keys that it was asked about. */
  #judge: PolicyJudge | undefined
  readonly #judged = new Map<string, readonly LeasedKey[]>()

  get size(): number {
    return this.#entries.size
  }

  has(identity: Uint8Array): boolean {
    return this.#entries.has(nameOf(identity))
  }

  /** @param lease - that its issuer has signed, and the key that it is given to */
  add(lease: Lease, identity: Uint8Array): void {
    const name = nameOf(identity)
    const ends = (instantOf(lease.until) as Instant).ns
    this.#keyring.add(toBytes(lease.subject) as Uint8Array)
    this.#entries.set(name, { lease, bytes: identity.length, ends })
    this.#bytes += identity.length
    put(this.#ofIssuers, lease.issuer, name)
    put(this.#ofKeys, lease.keyId, name)
    this.#judged.delete(lease.keyId)
    const ofIssuer = this.#ofIssuers.get(lease.issuer) as Set<string>
    if (ofIssuer.size > MOST_OF_ONE) this.#drop(ofIssuer)
    while (this.#entries.size > MOST || this.#bytes > MOST_BYTES) this.#drop(this.#entries.keys())
  }

  /** The keys that the leases are given to, as this policy has their issuers. */
  under(judge: PolicyJudge): Judging {
    if (this.#judge !== judge) this.#judged.clear()
    this.#judge = judge
    return { keyring: this.#keyring, judge: new LeaseJudge({ get: (keyId) => this.#keysOf(keyId, judge) }) }
  }

  close(): void {
    this.#keyring.close()
  }

  #keysOf(keyId: string, judge: PolicyJudge): readonly LeasedKey[] {
    const known = this.#judge === judge ? this.#judged.get(keyId) : undefined
    if (known) return known
    const names = judge.knows(keyId) ? [] : [...(this.#ofKeys.get(keyId) ?? [])]
    const leases = names.map((name) => (this.#entries.get(name) as Entry).lease)
    const keys = leases
      .filter(({ issuer }) => judge.knows(issuer))
      .map((lease) => new LeasedKey(judge.keyOf(lease.issuer), lease))
    if (this.#judge === judge) this.#judged.set(keyId, keys)
    return keys
  }

  /** The one of these that ends first. */
  #drop(names: Iterable<string>): void {
    let first: string | undefined
    for (const name of names) if (first === undefined || this.#ends(name) < this.#ends(first)) first = name
    if (first === undefined) return
    const { lease, bytes } = this.#entries.get(first) as Entry
    this.#entries.delete(first)
    this.#bytes -= bytes
    take(this.#ofIssuers, lease.issuer, first)
    take(this.#ofKeys, lease.keyId, first)
    this.#judged.delete(lease.keyId)
    if (!this.#ofKeys.has(lease.keyId)) this.#keyring.delete(lease.keyId)
  }

  #ends(name: string): bigint {
    return (this.#entries.get(name) as Entry).ends
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

function nameOf(identity: Uint8Array): string {
  return new TextDecoder('latin1').decode(identity)
}
