import { AlvariumError, isVerdict } from '../base/errors.js'
import { toBytes } from '../base/hex.js'
import { verifyTurns } from '../base/turns.js'
import { verifyingAlgorithmOf } from '../keys/algorithm-of.js'
import { unverified } from '../keys/ec-verifier.js'
import { Keyring } from '../keys/keyring.js'
import type { Leased } from '../keys/trust-policy.js'
import { verifyBytes } from '../keys/verifying.js'
import type { PolicyJudge } from './judge.js'
import { type Lease, readSignedLease, type SignedLease } from './lease.js'
import { leaseIdentity } from './lease-identity.js'
import { LeasedKey, LeaseJudge } from './lease-judge.js'

/** How many sets of leases are kept: whoever has a message and its leases often has the next one with the same. */
const KEPT = 64

/** Leases under one policy, which does not change any more. */
export class Leases {
  readonly #keyring: Keyring
  readonly #judge: PolicyJudge
  /** By their bytes, the one that was used last at the end. */
  readonly #kept = new Map<string, Promise<Leased>>()

  /** @param keyring - the policy's keys */
  constructor(keyring: Keyring, judge: PolicyJudge) {
    this.#keyring = keyring
    this.#judge = judge
  }

  /** As `Trusting.leased`. The keyring of the policy has to be ready. */
  async leased(leases: readonly Uint8Array[]): Promise<Leased> {
    const name = nameOf(leases)
    const opened = this.#kept.get(name) ?? this.#opened(leases)
    this.#kept.delete(name)
    this.#kept.set(name, opened)
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > KEPT && oldest !== undefined) this.#forget(oldest)
    try {
      return await opened
    } catch (error) {
      this.#kept.delete(name)
      throw error
    }
  }

  /** Gives the core's memory back. */
  close(): void {
    for (const name of this.#kept.keys()) this.#forget(name)
  }

  /** A call under way has its keys made once more. */
  #forget(name: string): void {
    const opened = this.#kept.get(name)
    this.#kept.delete(name)
    opened?.then(({ keyring }) => keyring.close()).catch(() => undefined)
  }

  async #opened(leases: readonly Uint8Array[]): Promise<Leased> {
    const keyring = new Keyring()
    const keys = new Map<string, LeasedKey[]>()
    let fault: string | undefined
    for (const [at, message] of leases.entries()) {
      await verifyTurns.take()
      try {
        const lease = readSignedLease(message)
        const key = await this.#verified(lease)
        keyring.add(toBytes(lease.subject) as Uint8Array)
        keys.set(lease.keyId, [...(keys.get(lease.keyId) ?? []), key])
      } catch (error) {
        if (!isVerdict(error)) throw error
        fault ??= `leases[${at}]: ${error.message}`
      }
    }
    if (!keyring.isReady) await keyring.ready()
    return { keyring, judge: new LeaseJudge(keys), fault }
  }

  /** @throws AlvariumError `SIGNER_UNKNOWN`, `SIGNER_NOT_ALLOWED` for a key that has a signer already, `SIGNATURE_INVALID` */
  async #verified(lease: SignedLease & Lease): Promise<LeasedKey> {
    const issuer = this.#judge.keyOf(lease.issuer)
    if (this.#judge.knows(lease.keyId)) {
      const text = `lease.subject: expected a key that the policy does not have, got ${lease.keyId}`
      throw new AlvariumError('SIGNER_NOT_ALLOWED', text)
    }
    const identity = leaseIdentity(lease)
    assertSigned(this.#keyring, lease, identity)
    const subject = toBytes(lease.subject) as Uint8Array
    // Loads what verifies under it.
    await verifyingAlgorithmOf(subject)
    const isOwn = verifyBytes(subject, identity, toBytes(lease.subjectSignature) as Uint8Array)
    if (!isOwn) throw unverified(lease.keyId)
    return new LeasedKey(issuer, lease)
  }
}

/** @throws AlvariumError `SIGNATURE_INVALID` when it is not by its issuer, who is one of the keyring's */
function assertSigned(keyring: Keyring, { issuer, signature }: SignedLease, identity: Uint8Array): void {
  const bytes = toBytes(signature) as Uint8Array
  const { ec } = keyring
  if (ec?.knows(issuer)) ec.check(issuer, identity, bytes)
  else if (!keyring.use((verifier) => verifier.verifies(issuer, identity, bytes))) throw unverified(issuer)
}

/** Each by its length and its bytes, as characters: no two sets of leases have one name. */
function nameOf(leases: readonly Uint8Array[]): string {
  const decoder = new TextDecoder('latin1')
  return leases.map((lease) => `${lease.length}:${decoder.decode(lease)}`).join('')
}
