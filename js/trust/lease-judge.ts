import { AlvariumError, isVerdict } from '../base/errors.js'
import type { Judge, SignedAnnotation, SignedBy } from '../keys/trust-policy.js'
import type { Bundle } from '../model/bundle.js'
import { type Instant, instantOf } from './instant.js'
import {
  assertAllowed,
  assertAnnotation,
  assertInTime,
  assertRequest,
  type Grounds,
  type KnownKey,
  type Limits,
} from './judge.js'
import type { LeaseMembers } from './lease.js'
import { Rules } from './rules.js'
import { Times } from './times.js'

/** A key by one lease of a key that the policy has. */
export class LeasedKey {
  readonly #issuer: KnownKey
  readonly #own: Limits
  readonly #serial: string
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
    this.#serial = serial
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
   * @param assert - is asked of the issuer, and of the lease
   * @throws AlvariumError `SIGNER_REVOKED`, `SIGNER_EXPIRED`, `SIGNER_NOT_ALLOWED`
   */
  judge(assert: Assertion): void {
    if (this.#refusal !== undefined) throw new AlvariumError('SIGNER_NOT_ALLOWED', this.#refusal)
    assert(this.#issuer)
    assert(this.#own)
  }

  by(receivedAt: number | undefined): SignedBy {
    return receivedAt === undefined ? this.#signed : this.#received
  }

  get limits(): Grounds['limits'] {
    return [this.#issuer, { ...this.#own, lease: this.#serial }]
  }
}

/** Throws what these limits do not allow. */
type Assertion = (limits: Limits) => void

/** Judges what keys say by their leases. */
export class LeaseJudge implements Pick<Judge, 'bundles' | 'annotation' | 'request' | 'checkpoint'> {
  readonly #keys: LeasedKeys

  /** @param keys - by their ids */
  constructor(keys: LeasedKeys) {
    this.#keys = keys
  }

  bundles(bundles: readonly Bundle[], receivedAt: number | undefined): SignedBy {
    const { signer } = bundles[0] as Bundle
    return this.#judged(signer, (limits) => assertAllowed(limits, bundles, receivedAt), receivedAt)
  }

  annotation(keyId: string, annotation: SignedAnnotation, receivedAt: number | undefined): SignedBy {
    return this.#judged(keyId, (limits) => assertAnnotation(limits, annotation, receivedAt), receivedAt)
  }

  request(keyId: string, signedAt: number | undefined, receivedAt: number): SignedBy {
    return this.#judged(keyId, (limits) => assertRequest(limits, signedAt, receivedAt), receivedAt)
  }

  checkpoint(keyId: string, signedAt: number, receivedAt: number | undefined): SignedBy {
    return this.#judged(keyId, (limits) => assertInTime(limits, signedAt, receivedAt), receivedAt)
  }

  /** @throws AlvariumError `SIGNER_UNKNOWN` */
  grounds(bundle: Bundle, receivedAt: number | undefined): Grounds {
    const { key } = this.#found(bundle.signer, (limits) => assertAllowed(limits, [bundle], receivedAt))
    return { signedBy: key.by(receivedAt), limits: key.limits }
  }

  #judged(keyId: string, assert: Assertion, receivedAt: number | undefined): SignedBy {
    const { key, refusal } = this.#found(keyId, assert)
    if (refusal) throw refusal
    return key.by(receivedAt)
  }

  /**
   * The first lease that allows all of it; if none does, the first one, and why.
   *
   * @throws AlvariumError `SIGNER_UNKNOWN` for a key without any
   */
  #found(keyId: string, assert: Assertion): FoundLease {
    let refused: FoundLease | undefined
    for (const key of this.#keys.get(keyId) ?? []) {
      try {
        key.judge(assert)
        return { key }
      } catch (refusal) {
        if (!isVerdict(refusal)) throw refusal
        refused ??= { key, refusal }
      }
    }
    if (refused) return refused
    throw new AlvariumError('SIGNER_UNKNOWN', `signer: expected a lease for it, got none: ${keyId}`)
  }
}

interface FoundLease {
  readonly key: LeasedKey
  /** There when it does not allow what was said. */
  readonly refusal?: AlvariumError
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
