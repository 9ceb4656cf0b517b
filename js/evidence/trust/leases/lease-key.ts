import { AlvariumError, verdictIn } from '../../../foundation/base/errors.js'
import { PER_MILLISECOND } from '../../../foundation/base/time/timestamp.js'
import type { SignedBy, SignedByLease } from '../../../signing/keys/trust-policy.js'
import type { KeyWithLimits, Limits } from '../permits/limits.js'
import type { DecidingLimits } from '../permits/policy-permits.js'
import { Rules } from '../permits/rules.js'
import { earlier, type StatingLease } from '../permits/stated-logs.js'
import type { TimeSpan } from '../permits/time-spans.js'
import { Times } from '../permits/times.js'
import { type Instant, instantOf } from '../policy/instant.js'
import type { LeaseMembers } from './lease.js'

/**
 * Function that throws if limits forbid a statement. Its other arguments are the time of receipt of the
 * statement, and a time by which the statement existed.
 */
export type LimitsCheck = (limits: Limits, receivedAt: number | undefined, existedAt?: number) => void

export class LeaseKey implements TimeSpan {
  readonly fromMs: number
  readonly untilMs: number
  readonly serial: string
  readonly #issuer: KeyWithLimits
  readonly #limits: DecidingLimits['limits'][number]
  readonly #signedBy: { [time in SignedBy['time']]?: SignedBy } = {}
  /** Reason why the policy does not let the issuer give this lease; undefined if the policy does. */
  readonly #refusal: AlvariumError | undefined
  readonly #lease: SignedByLease
  /**
   * Field `log` of the lease, with its times. Undefined if the lease has none, is refused or revoked, or if
   * the issuer is revoked or was not valid at `from`.
   */
  readonly statingLease: StatingLease | undefined

  /**
   * @param lease - lease with a verified signature of its issuer
   * @param receivedAt - time in milliseconds since 1970 at which the lease was received; undefined if the
   * lease arrived with the message
   */
  constructor(issuer: KeyWithLimits, lease: LeaseMembers, receivedAt?: number) {
    const { serial, name, from, until } = lease
    const label = `${issuer.signer}, lease ${serial},`
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
      times: new Times(label, [{ from: begin, until: end }, ...revoked], acceptLateMs),
    }
    this.#refusal =
      lengthRefusal(issuer.signer, end.ns - begin.ns, maxLeaseMs) ?? lateRefusal(issuer, serial, receivedAt)
    this.#lease = Object.freeze({ serial, name, from, until })
    // Ignore the log of a revoked issuer or lease, because a thief of the key can write any time into a lease.
    const isRevoked = revoked.length > 0 || issuer.times.revoked !== undefined
    const mayState = this.#refusal === undefined && !isRevoked && issuer.times.include(from)
    const countsUntil = receivedAt === undefined ? issuer.times.lastReceipt : undefined
    this.statingLease = lease.log && mayState ? { log: lease.log, from, countsUntil } : undefined
  }

  /**
   * Returns the reason why the issuer or the lease forbids a statement: `SIGNER_REVOKED`, `SIGNER_EXPIRED` or
   * `SIGNER_NOT_ALLOWED`; undefined if the statement is allowed. A lease never permits more than its issuer
   * may state, and never for a longer time.
   *
   * @param assert - check that is called for the issuer, and for the lease
   * @param statedAt - time by which the message was in a log that a lease contains as `log`
   */
  refusalOf(
    assert: LimitsCheck,
    receivedAt: number | undefined,
    statedAt?: number,
  ): AlvariumError | undefined {
    if (this.#refusal) return this.#refusal
    const existedAt = earlier(receivedAt, statedAt)
    return verdictOf(() => {
      assert(this.#issuer, receivedAt, existedAt)
      assert(this.#limits, existedAt)
    })
  }

  holdsAt(ms: number | undefined): boolean {
    return ms !== undefined && this.fromMs <= ms && ms <= this.untilMs
  }

  /** Returns the signer of a statement. Statements with the same value of `SignedBy.time` share one object. */
  by(receivedAt: number | undefined, statedAt?: number): SignedBy {
    const time = statedAt !== undefined ? 'logged' : receivedAt === undefined ? 'signed' : 'received'
    const { id, name } = this.#issuer.signed
    this.#signedBy[time] ??= Object.freeze({ id, name, time, lease: this.#lease })
    return this.#signedBy[time]
  }

  get limits(): DecidingLimits['limits'] {
    return [this.#issuer, this.#limits]
  }
}

function lengthRefusal(signer: string, ns: bigint, maxLeaseMs: number): AlvariumError | undefined {
  if (maxLeaseMs > 0 && ns <= BigInt(maxLeaseMs) * PER_MILLISECOND) return undefined
  const limit = maxLeaseMs === 0 ? 'no leases' : `leases of at most ${maxLeaseMs} ms`
  const text = `lease: ${signer} may issue ${limit}, got a lease of ${Number(ns) / 1e6} ms`
  return new AlvariumError('SIGNER_NOT_ALLOWED', text)
}

/** Returns the error for a lease that arrived too late or after the issuer's revocation; undefined if there is none. */
function lateRefusal(
  { times }: KeyWithLimits,
  serial: string,
  receivedAt: number | undefined,
): AlvariumError | undefined {
  if (receivedAt === undefined) return undefined
  const error = verdictOf(() => {
    times.assertNotRevoked(receivedAt)
    times.assertNotLate(receivedAt)
  })
  return error && new AlvariumError(error.code, `lease ${serial}: ${error.message}`)
}

/** Returns the verdict that `assert` throws; undefined if it throws none. */
function verdictOf(assert: () => void): AlvariumError | undefined {
  try {
    assert()
    return undefined
  } catch (error) {
    return verdictIn(error)
  }
}

export function statingLeasesOf(keys: readonly LeaseKey[]): StatingLease[] {
  return keys.flatMap(({ statingLease }) => statingLease ?? [])
}
