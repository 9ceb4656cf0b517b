import { AlvariumError, isVerdict } from '../../../foundation/base/errors.js'
import { PER_MILLISECOND } from '../../../foundation/base/time/timestamp.js'
import type { SignedBy, SignedByLease } from '../../../signing/keys/trust-policy.js'
import type { KeyWithLimits, Limits } from '../permits/limits.js'
import type { Grounds } from '../permits/policy-permits.js'
import { Rules } from '../permits/rules.js'
import { earlier, type StatingLease } from '../permits/stated-logs.js'
import type { TimeSpan } from '../permits/time-spans.js'
import { Times } from '../permits/times.js'
import { type Instant, instantOf } from '../policy/instant.js'
import type { LeaseMembers } from './lease.js'

/** Function that throws if these limits do not allow a statement that was received at one time and existed at the other. */
export type LimitsCheck = (limits: Limits, receivedAt: number | undefined, existedAt?: number) => void

/** Key under one lease of a key that the policy has. */
export class LeaseKey implements TimeSpan {
  readonly fromMs: number
  readonly untilMs: number
  readonly serial: string
  readonly #issuer: KeyWithLimits
  readonly #limits: Grounds['limits'][number]
  readonly #signedBy: { [time in SignedBy['time']]?: SignedBy } = {}
  /** Reason why the policy does not let the issuer give this lease; undefined if it does. */
  readonly #refusal: AlvariumError | undefined
  readonly #lease: SignedByLease
  /** The lease's statement of a log, if it has one that counts. */
  readonly statingLease: StatingLease | undefined

  /**
   * @param lease - signed by its issuer
   * @param receivedAt - when the lease was received, in milliseconds since 1970; undefined: with the message that it is
   *   used for
   */
  constructor(issuer: KeyWithLimits, lease: LeaseMembers, receivedAt?: number) {
    const { serial, name, from, until } = lease
    const who = `${issuer.signer}, lease ${serial},`
    const [begin, end] = [instantOf(from) as Instant, instantOf(until) as Instant]
    const { acceptLateMs, maxLeaseMs, revokedLeases = [] } = issuer.leasing
    const revoked = revokedLeases.filter((one) => one.serial === serial).map((one) => ({ revoked: one }))
    this.fromMs = begin.ms
    this.untilMs = end.ms
    this.serial = serial
    this.#issuer = issuer
    this.#limits = {
      lease: serial,
      rules: new Rules(`${issuer.signer} by lease ${serial}`, lease),
      times: new Times(who, [{ from: begin, until: end }, ...revoked], acceptLateMs),
    }
    this.#refusal =
      lengthRefusal(issuer.signer, end.ns - begin.ns, maxLeaseMs) ?? lateRefusal(issuer, serial, receivedAt)
    this.#lease = Object.freeze({ serial, name, from, until })
    // A thief of the issuer's key can write any time into a lease.
    const isRevoked = revoked.length > 0 || issuer.times.revoked !== undefined
    const mayState = this.#refusal === undefined && !isRevoked && issuer.times.include(from)
    const countsUntil = receivedAt === undefined ? issuer.times.lastReceipt : undefined
    this.statingLease = lease.log && mayState ? { log: lease.log, from, countsUntil } : undefined
  }

  /**
   * Returns why the issuer or the lease does not allow a statement: `SIGNER_REVOKED`, `SIGNER_EXPIRED` or
   * `SIGNER_NOT_ALLOWED`; undefined if both allow it. A lease never permits more than its issuer may say, and never for
   * longer.
   *
   * @param assert - called for the issuer, and for the lease
   * @param statedAt - latest time at which the message was in a log that a lease states
   */
  refusalOf(
    assert: LimitsCheck,
    receivedAt: number | undefined,
    statedAt?: number,
  ): AlvariumError | undefined {
    try {
      this.#check(assert, receivedAt, statedAt)
      return undefined
    } catch (refusal) {
      if (isVerdict(refusal)) return refusal
      throw refusal
    }
  }

  #check(assert: LimitsCheck, receivedAt: number | undefined, statedAt?: number): void {
    if (this.#refusal) throw this.#refusal
    const existedAt = earlier(receivedAt, statedAt)
    assert(this.#issuer, receivedAt, existedAt)
    assert(this.#limits, existedAt)
  }

  /** Returns whether the lease has begun and not ended at this moment, in milliseconds since 1970. */
  holdsAt(ms: number | undefined): boolean {
    return ms !== undefined && this.fromMs <= ms && ms <= this.untilMs
  }

  /** Returns the signer: one object for all statements with the same kind of time. */
  by(receivedAt: number | undefined, statedAt?: number): SignedBy {
    const time = statedAt !== undefined ? 'logged' : receivedAt === undefined ? 'signed' : 'received'
    const { id, name } = this.#issuer.signed
    this.#signedBy[time] ??= Object.freeze({ id, name, time, lease: this.#lease })
    return this.#signedBy[time]
  }

  get limits(): Grounds['limits'] {
    return [this.#issuer, this.#limits]
  }
}

function lengthRefusal(signer: string, ns: bigint, maxLeaseMs: number): AlvariumError | undefined {
  if (maxLeaseMs > 0 && ns <= BigInt(maxLeaseMs) * PER_MILLISECOND) return undefined
  const got = `got a lease of ${Number(ns) / 1e6} ms`
  const most = maxLeaseMs === 0 ? 'no leases' : `leases of at most ${maxLeaseMs} ms`
  const text = `lease: ${signer} may issue ${most}, ${got}`
  return new AlvariumError('SIGNER_NOT_ALLOWED', text)
}

/** Returns why a lease came too late: after its issuer's time or revocation, it is as late as any other message of the issuer. */
function lateRefusal(
  { times }: KeyWithLimits,
  serial: string,
  receivedAt: number | undefined,
): AlvariumError | undefined {
  if (receivedAt === undefined) return undefined
  try {
    times.assertNotRevoked(receivedAt)
    times.assertNotLate(receivedAt)
    return undefined
  } catch (error) {
    if (isVerdict(error)) return new AlvariumError(error.code, `lease ${serial}: ${error.message}`)
    throw error
  }
}

/** Returns the leases by which these keys state logs. */
export function statingLeasesOf(keys: readonly LeaseKey[]): StatingLease[] {
  return keys.flatMap(({ statingLease }) => statingLease ?? [])
}
