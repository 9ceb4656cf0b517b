import { AlvariumError, isVerdict } from '../base/errors.js'
import type { Judge, SignedBy } from '../keys/trust-policy.js'
import type { Bundle } from '../model/bundle.js'
import { type Instant, instantOf } from './instant.js'
import { assertAllowed, assertInTime, type KnownKey } from './judge.js'
import type { LeaseMembers } from './lease.js'
import { Rules } from './rules.js'
import { Times } from './times.js'

/** A key by one lease of a key that the policy has. */
export class LeasedKey {
  readonly #issuer: KnownKey
  readonly #own: Pick<KnownKey, 'rules' | 'times'>
  /** Why the policy does not let the issuer give it. */
  readonly #refusal: string | undefined
  readonly #signed: SignedBy
  readonly #received: SignedBy

  /** @param lease - that the issuer has signed */
  constructor(issuer: KnownKey, lease: LeaseMembers) {
    const { serial, name, from, until } = lease
    const who = `${issuer.signer}, lease ${serial},`
    const [begin, end] = [instantOf(from) as Instant, instantOf(until) as Instant]
    const { acceptLateMs, maxLeaseMs, revokedLeases = [] } = issuer.leasing
    const revoked = revokedLeases.filter((one) => one.serial === serial).map((one) => ({ revoked: one }))
    this.#issuer = issuer
    this.#own = {
      rules: new Rules(`${issuer.signer} by lease ${serial}`, lease),
      times: new Times(who, [{ from: begin, until: end }, ...revoked], acceptLateMs),
    }
    this.#refusal = tooLong(issuer.signer, end.ns - begin.ns, maxLeaseMs)
    const by = (signedBy: SignedBy) =>
      Object.freeze({ ...signedBy, lease: Object.freeze({ serial, name, from, until }) })
    this.#signed = by(issuer.signed)
    this.#received = by(issuer.received)
  }

  /**
   * It never says more than its issuer may, and never for longer.
   *
   * @throws AlvariumError `SIGNER_REVOKED`, `SIGNER_EXPIRED`, `SIGNER_NOT_ALLOWED`
   */
  judged(bundles: readonly Bundle[], receivedAt: number | undefined): SignedBy {
    this.#assertGiven()
    assertAllowed(this.#issuer, bundles, receivedAt)
    assertAllowed(this.#own, bundles, receivedAt)
    return this.#by(receivedAt)
  }

  /** The same of a checkpoint, which says nothing that rules are about. */
  checkpoint(signedAt: number, receivedAt: number | undefined): SignedBy {
    this.#assertGiven()
    assertInTime(this.#issuer, signedAt, receivedAt)
    assertInTime(this.#own, signedAt, receivedAt)
    return this.#by(receivedAt)
  }

  #assertGiven(): void {
    if (this.#refusal !== undefined) throw new AlvariumError('SIGNER_NOT_ALLOWED', this.#refusal)
  }

  #by(receivedAt: number | undefined): SignedBy {
    return receivedAt === undefined ? this.#signed : this.#received
  }
}

/** Judges what keys say by their leases. */
export class LeaseJudge implements Pick<Judge, 'bundles' | 'checkpoint'> {
  readonly #keys: LeasedKeys

  /** @param keys - by their ids */
  constructor(keys: LeasedKeys) {
    this.#keys = keys
  }

  /**
   * By the first lease that allows all of it; if none does, the first one says why.
   *
   * @throws AlvariumError `SIGNER_UNKNOWN` for a key without any, and as {@link LeasedKey.judged}
   */
  bundles(bundles: readonly Bundle[], receivedAt: number | undefined): SignedBy {
    const { signer } = bundles[0] as Bundle
    return this.#first(signer, (key) => key.judged(bundles, receivedAt))
  }

  checkpoint(keyId: string, signedAt: number, receivedAt: number | undefined): SignedBy {
    return this.#first(keyId, (key) => key.checkpoint(signedAt, receivedAt))
  }

  #first(keyId: string, judged: (key: LeasedKey) => SignedBy): SignedBy {
    let refusal: AlvariumError | undefined
    for (const key of this.#keys.get(keyId) ?? []) {
      try {
        return judged(key)
      } catch (error) {
        if (!isVerdict(error)) throw error
        refusal ??= error
      }
    }
    throw (
      refusal ?? new AlvariumError('SIGNER_UNKNOWN', `signer: expected a lease for it, got none: ${keyId}`)
    )
  }
}

/** The leases of a key, by its id. */
type LeasedKeys = Pick<ReadonlyMap<string, readonly LeasedKey[]>, 'get'>

const PER_MILLISECOND = 1_000_000n

function tooLong(signer: string, ns: bigint, maxLeaseMs: number): string | undefined {
  const got = `one of ${Number(ns) / 1e6} ms`
  if (maxLeaseMs === 0) return `lease: expected none, as ${signer} may give no leases, got ${got}`
  if (ns <= BigInt(maxLeaseMs) * PER_MILLISECOND) return undefined
  return `lease: expected one of at most ${maxLeaseMs} ms, as ${signer} may give, got ${got}`
}
