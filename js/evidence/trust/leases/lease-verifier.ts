import { toBytes, toHex } from '../../../foundation/base/bytes/hex.js'
import { AlvariumError, describe, isVerdict } from '../../../foundation/base/errors.js'
import { verifyTurns } from '../../../foundation/base/time/turns.js'
import { verifyingAlgorithmOf } from '../../../signing/keys/algorithm-of.js'
import { Keyring } from '../../../signing/keys/keyring.js'
import { assertSigned, makeReady } from '../../../signing/keys/keyring-use.js'
import { invalidSignature } from '../../../signing/keys/outside-verifier.js'
import type { LeaseKeyring, LoggedMessages } from '../../../signing/keys/trust-policy.js'
import { verifyBytes } from '../../../signing/keys/verifying.js'
import type { PolicyPermits } from '../permits/policy-permits.js'
import { logListOf, StatedLogs } from '../permits/stated-logs.js'
import { type Lease, leaseIdentity, readSignedLease, type SignedLease } from './lease.js'
import { LeaseKey, statingLeasesOf } from './lease-key.js'
import { LeasePermits } from './lease-permits.js'

export interface LeasedKeys extends LeaseKeyring {
  readonly judge: LeasePermits
  readonly keys: ReadonlyMap<string, readonly LeaseKey[]>
}

export class LeaseVerifier {
  readonly #keyring: Keyring
  readonly #judge: PolicyPermits

  constructor(keyring: Keyring, judge: PolicyPermits) {
    this.#keyring = keyring
    this.#judge = judge
  }

  /** Verifies leases. Returns the keys of the valid leases, and the fault of the first invalid lease. */
  async open(leases: readonly Uint8Array[]): Promise<LeasedKeys> {
    const { engine } = this.#keyring
    const keyring = new Keyring([], { engine })
    const keys = new Map<string, LeaseKey[]>()
    const identities = new Set<string>()
    let fault: string | undefined
    for (const [at, message] of leases.entries()) {
      await verifyTurns.yieldIfDue()
      try {
        const lease = readSignedLease(message)
        const identity = leaseIdentity(lease)
        const key = await this.verify(lease, identity)
        // Skip copies of a lease, because only a few leases of a key count at one time.
        const name = toHex(identity)
        if (identities.has(name)) continue
        identities.add(name)
        keyring.add(toBytes(lease.subject) as Uint8Array)
        keys.set(lease.keyId, [...(keys.get(lease.keyId) ?? []), key])
      } catch (error) {
        if (!isVerdict(error)) throw error
        fault ??= `leases[${at}]: ${error.message}`
      }
    }
    await makeReady(keyring)
    return { keyring, keys, judge: new LeasePermits(keys), fault }
  }

  /**
   * Verifies a lease.
   *
   * @throws AlvariumError `SIGNER_UNKNOWN`; `SIGNER_NOT_ALLOWED` if the policy itself already has the leased
   * key; `SIGNATURE_INVALID`
   */
  async verify(lease: SignedLease & Lease, identity: Uint8Array): Promise<LeaseKey> {
    const issuer = this.#judge.keyOf(lease.issuer)
    assertSigned(this.#keyring, lease.issuer, identity, toBytes(lease.signature) as Uint8Array)
    const subject = toBytes(lease.subject) as Uint8Array
    // Load the algorithm of the key, because `verifyBytes` does not load it.
    await verifyingAlgorithmOf(subject)
    const { engine } = this.#keyring
    const isOwn = verifyBytes(subject, identity, toBytes(lease.subjectSignature) as Uint8Array, { engine })
    if (!isOwn) throw invalidSignature(lease.keyId)
    if (this.#judge.knows(lease.keyId)) {
      const text = `lease.subject: expected a key that the policy does not have, got ${lease.keyId}`
      throw new AlvariumError('SIGNER_NOT_ALLOWED', text, { signer: lease.issuer })
    }
    return new LeaseKey(issuer, lease)
  }
}

/** Maximum number of cached sets of leases. Consecutive messages often arrive with the same leases. */
const MAX_SETS = 16

export class LeaseCache {
  readonly #open: (leases: readonly Uint8Array[]) => Promise<LeasedKeys>
  /** Verified sets by cache key, the most recently used one last. */
  readonly #sets = new Map<string, Promise<LeasedKeys>>()

  constructor(open: (leases: readonly Uint8Array[]) => Promise<LeasedKeys>) {
    this.#open = open
  }

  async get(leases: readonly Uint8Array[]): Promise<LeasedKeys> {
    const name = cacheKeyOf(leases)
    const opened = this.#sets.get(name) ?? this.#open(leases)
    this.#sets.delete(name)
    this.#sets.set(name, opened)
    const [oldest] = this.#sets.keys()
    if (this.#sets.size > MAX_SETS && oldest !== undefined) this.#forget(oldest)
    try {
      return await opened
    } catch (error) {
      this.#sets.delete(name)
      throw error
    }
  }

  close(): void {
    for (const name of this.#sets.keys()) this.#forget(name)
  }

  /** Drops a set of leases and closes its keyring. Calls in progress rebuild their keys. */
  #forget(name: string): void {
    const opened = this.#sets.get(name)
    this.#sets.delete(name)
    opened?.then(({ keyring }) => keyring.close()).catch(() => undefined)
  }
}

/** Returns a collision-free map key: the length of each lease, and its bytes in Latin-1. */
function cacheKeyOf(leases: readonly Uint8Array[]): string {
  const decoder = new TextDecoder('latin1')
  return leases.map((lease) => `${lease.length}:${decoder.decode(lease)}`).join('')
}

export function areSame(some: readonly LoggedMessages[], others: readonly LoggedMessages[]): boolean {
  return some.length === others.length && some.every((one, at) => one === others[at])
}

/** Last result of {@link withLogs} for each set of leases. Consecutive messages often have the same checkpoints. */
const lastLogs = new WeakMap<LeaseKeyring, { of: readonly LoggedMessages[]; judge: LeasePermits }>()

/**
 * Returns the leased keys with a check that also permits a late message, if `checkpoints` list the message in
 * a log that a lease contains as `log`.
 *
 * @throws TypeError for a value that is not a verified checkpoint, such as a message, because it would prove
 * nothing
 */
export async function withLogs(
  leased: LeasedKeys,
  checkpoints: readonly LoggedMessages[],
): Promise<LeasedKeys> {
  if (checkpoints.length === 0) return leased
  const known = lastLogs.get(leased)
  if (known && areSame(known.of, checkpoints)) return { ...leased, judge: known.judge }
  const logs = new Map<string, StatedLogs>()
  for (const [keyId, keys] of leased.keys) {
    const stating = statingLeasesOf(keys)
    if (stating.length === 0) continue
    const keyLogs = new StatedLogs()
    keyLogs.state(stating)
    logs.set(keyId, keyLogs)
  }
  for (const checkpoint of checkpoints) {
    await verifyTurns.yieldIfDueLong()
    if (typeof checkpoint?.root !== 'string') {
      throw new TypeError(`checkpoints: expected verified checkpoints, got ${describe(checkpoint)}`)
    }
    const log = logListOf(checkpoint)
    if (log) logs.get(checkpoint.signer)?.add(log)
  }
  const judge = new LeasePermits(leased.keys, logs)
  lastLogs.set(leased, { of: [...checkpoints], judge })
  return { ...leased, judge }
}
