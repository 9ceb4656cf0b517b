import { toBytes, toHex } from '../../foundation/base/bytes/hex.js'
import { AlvariumError, isVerdict } from '../../foundation/base/errors.js'
import { verifyTurns } from '../../foundation/base/time/turns.js'
import { verifyingAlgorithmOf } from '../../signing/keys/algorithm-of.js'
import { assertSigned, makeReady } from '../../signing/keys/keyring-use.js'
import { Keyring } from '../../signing/keys/keyring.js'
import { invalidSignature } from '../../signing/keys/outside-verifier.js'
import type { LeaseKeyring } from '../../signing/keys/trust-policy.js'
import { verifyBytes } from '../../signing/keys/verifying.js'
import type { PolicyJudge } from './judge.js'
import { JudgedLeaseKey } from './judged-lease-key.js'
import { type Lease, readSignedLease, type SignedLease } from './lease.js'
import { leaseIdentity } from './lease-identity.js'
import { LeaseJudge } from './lease-judge.js'

/** Keys of leases, with the policy check of their statements. */
export interface LeasedKeys extends LeaseKeyring {
  readonly judge: LeaseJudge
  readonly keys: ReadonlyMap<string, readonly JudgedLeaseKey[]>
}

/** Verifier of leases by the keys of a policy, which must be ready. */
export class LeaseVerifier {
  readonly #keyring: Keyring
  readonly #judge: PolicyJudge

  /** @param keyring - the policy's keys */
  constructor(keyring: Keyring, judge: PolicyJudge) {
    this.#keyring = keyring
    this.#judge = judge
  }

  /** Verifies leases. Returns the keys of the valid ones, and the fault of the first invalid one. */
  async opened(leases: readonly Uint8Array[]): Promise<LeasedKeys> {
    const { engine } = this.#keyring
    const keyring = new Keyring([], { engine })
    const keys = new Map<string, JudgedLeaseKey[]>()
    const identities = new Set<string>()
    let fault: string | undefined
    for (const [at, message] of leases.entries()) {
      await verifyTurns.take()
      try {
        const lease = readSignedLease(message)
        const identity = leaseIdentity(lease)
        const key = await this.verified(lease, identity)
        // Skip copies: they would displace other leases of the key.
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
    return { keyring, keys, judge: new LeaseJudge(keys), fault }
  }

  /** @throws AlvariumError `SIGNER_UNKNOWN`, `SIGNER_NOT_ALLOWED` for a key that has a signer already, `SIGNATURE_INVALID` */
  async verified(lease: SignedLease & Lease, identity: Uint8Array): Promise<JudgedLeaseKey> {
    const issuer = this.#judge.keyOf(lease.issuer)
    if (this.#judge.knows(lease.keyId)) {
      const text = `lease.subject: expected a key that the policy does not have, got ${lease.keyId}`
      throw new AlvariumError('SIGNER_NOT_ALLOWED', text, { signer: lease.issuer })
    }
    assertSigned(this.#keyring, lease.issuer, identity, toBytes(lease.signature) as Uint8Array)
    const subject = toBytes(lease.subject) as Uint8Array
    // Load the algorithm of the key.
    await verifyingAlgorithmOf(subject)
    const { engine } = this.#keyring
    const isOwn = verifyBytes(subject, identity, toBytes(lease.subjectSignature) as Uint8Array, { engine })
    if (!isOwn) throw invalidSignature(lease.keyId)
    return new JudgedLeaseKey(issuer, lease)
  }
}
