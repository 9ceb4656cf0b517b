import { toHex } from '../base/bytes/hex.js'
import { join } from '../base/bytes/join.js'
import { AlvariumError, isVerdict } from '../base/errors.js'
import { milliseconds, nanoseconds } from '../base/time/timestamp.js'
import { withCore } from '../core/core.js'
import type {
  IdentityOf,
  Judge,
  LoggedMessages,
  SignedAnnotation,
  SignedBy,
  SignedByLease,
} from '../keys/trust-policy.js'
import type { Bundle } from '../model/bundle.js'
import { ByTime, type Spanned } from './by-time.js'
import { type Instant, instantOf } from './instant.js'
import {
  assertAllowed,
  assertAnnotation,
  assertInTime,
  type Grounds,
  type KnownKey,
  type Limits,
  timeOf,
} from './judge.js'
import type { Lease, LeaseMembers } from './lease.js'
import { Rules } from './rules.js'
import { earlier, type StatedLogs } from './stated-logs.js'
import { Times } from './times.js'

/** A key by one lease of a key that the policy has. */
export class JudgedLeaseKey implements Spanned {
  readonly fromMs: number
  readonly untilMs: number
  readonly #issuer: KnownKey
  readonly #own: Limits
  readonly #serial: string
  readonly #signedBy: { [time in SignedBy['time']]?: SignedBy } = {}
  /** Why the policy does not let the issuer give it. */
  readonly #refusal: string | undefined
  readonly #lease: SignedByLease
  /** The lease, if a log counts that it states. */
  readonly stating: Pick<Lease, 'log' | 'from'> | undefined

  /** @param lease - that the issuer has signed */
  constructor(issuer: KnownKey, lease: LeaseMembers) {
    const { serial, name, from, until } = lease
    const who = `${issuer.signer}, lease ${serial},`
    const [begin, end] = [instantOf(from) as Instant, instantOf(until) as Instant]
    const { acceptLateMs, maxLeaseMs, revokedLeases = [] } = issuer.leasing
    const revoked = revokedLeases.filter((one) => one.serial === serial).map((one) => ({ revoked: one }))
    this.fromMs = begin.ms
    this.untilMs = end.ms
    this.#issuer = issuer
    this.#serial = serial
    this.#own = {
      rules: new Rules(`${issuer.signer} by lease ${serial}`, lease),
      times: new Times(who, [{ from: begin, until: end }, ...revoked], acceptLateMs),
    }
    this.#refusal = tooLong(issuer.signer, end.ns - begin.ns, maxLeaseMs)
    this.#lease = Object.freeze({ serial, name, from, until })
    // Who has stolen the issuer's key writes any time into a lease.
    const isRevoked = revoked.length > 0 || issuer.times.revoked !== undefined
    const mayState = this.#refusal === undefined && !isRevoked && issuer.times.include(from)
    this.stating = lease.log && mayState ? lease : undefined
  }

  /**
   * Why it does not allow what was said, as `SIGNER_REVOKED`, `SIGNER_EXPIRED` or `SIGNER_NOT_ALLOWED`; undefined if it does. It never says
   * more than its issuer may, and never for longer.
   *
   * @param assert - is asked of the issuer, and of the lease
   * @param statedAt - when it lay in a log that a lease states, at the latest
   */
  refusalOf(assert: Assertion, receivedAt: number | undefined, statedAt?: number): AlvariumError | undefined {
    try {
      this.#judge(assert, receivedAt, statedAt)
      return undefined
    } catch (refusal) {
      if (isVerdict(refusal)) return refusal
      throw refusal
    }
  }

  #judge(assert: Assertion, receivedAt: number | undefined, statedAt?: number): void {
    if (this.#refusal !== undefined) throw new AlvariumError('SIGNER_NOT_ALLOWED', this.#refusal)
    const existedAt = earlier(receivedAt, statedAt)
    assert(this.#issuer, receivedAt, existedAt)
    assert(this.#own, existedAt)
  }

  /** The same object for all that is judged by the same time. */
  by(receivedAt: number | undefined, statedAt?: number): SignedBy {
    const time = statedAt !== undefined ? 'logged' : receivedAt === undefined ? 'signed' : 'received'
    const { id, name } = this.#issuer.signed
    this.#signedBy[time] ??= Object.freeze({ id, name, time, lease: this.#lease })
    return this.#signedBy[time]
  }

  get limits(): Grounds['limits'] {
    return [this.#issuer, { ...this.#own, lease: this.#serial }]
  }
}

/** The leases by which these keys state logs. */
export function statingOf(keys: readonly JudgedLeaseKey[]): Pick<Lease, 'log' | 'from'>[] {
  return keys.flatMap(({ stating }) => (stating ? [stating] : []))
}

/** Throws what these limits do not allow, of what came then, and existed then at the latest. */
type Assertion = (limits: Limits, receivedAt: number | undefined, existedAt?: number) => void

/** Judges what keys say by their leases. */
export class LeaseJudge implements Pick<Judge, 'bundles' | 'annotation' | 'request' | 'checkpoint'> {
  readonly #keys: LeasedKeys
  readonly #logs: KeyedLogs | undefined

  /**
   * @param keys - by their ids
   * @param logs - those that leases state, by the same ids
   */
  constructor(keys: LeasedKeys, logs?: KeyedLogs) {
    this.#keys = keys
    this.#logs = logs
  }

  bundles(bundles: readonly Bundle[], receivedAt: number | undefined, identityOf?: IdentityOf): SignedBy {
    const { signer, timestamp } = bundles[0] as Bundle
    const assert: Assertion = (limits, ...times) => assertAllowed(limits, bundles, ...times)
    return this.#inTimeOr(
      { keyId: signer, signedMs: msOf(timestamp), assert },
      receivedAt,
      (logs) => identityOf && logs.statedAt(leafOf(identityOf())),
    )
  }

  annotation(keyId: string, annotation: SignedAnnotation, receivedAt: number | undefined): SignedBy {
    const assert: Assertion = (limits, at) => assertAnnotation(limits, annotation, at)
    return this.#judged({ keyId, signedMs: msOf(annotation.timestamp), assert }, receivedAt)
  }

  request(keyId: string, signedAt: number | undefined, receivedAt: number): SignedBy {
    const [signedMs, field] = timeOf(signedAt, receivedAt)
    const assert: Assertion = (limits) => assertInTime(limits, signedMs, field, receivedAt)
    return this.#judged({ keyId, signedMs: Math.floor(signedMs), assert }, receivedAt)
  }

  checkpoint(checkpoint: LoggedMessages, signedAt: number, receivedAt: number | undefined): SignedBy {
    const assert: Assertion = (limits, ...times) => assertInTime(limits, signedAt, 'at', ...times)
    const said = { keyId: checkpoint.signer, signedMs: Math.floor(signedAt), assert }
    return this.#inTimeOr(said, receivedAt, (logs) => logs.rootStatedAt(checkpoint))
  }

  /** @throws AlvariumError `SIGNER_UNKNOWN` */
  grounds(bundle: Bundle, receivedAt: number | undefined): Grounds {
    const assert: Assertion = (limits, at) => assertAllowed(limits, [bundle], at)
    const { signer: keyId, timestamp } = bundle
    const { key } = this.#found({ keyId, signedMs: msOf(timestamp), assert }, receivedAt)
    return { signedBy: key.by(receivedAt), limits: key.limits }
  }

  /** What comes too late is asked for once more as of when it existed at the latest, where a log says so. */
  #inTimeOr(
    said: Said,
    receivedAt: number | undefined,
    statedIn: (logs: StatedLogs) => number | undefined,
  ): SignedBy {
    try {
      return this.#judged(said, receivedAt)
    } catch (error) {
      const isLate = error instanceof AlvariumError && /^SIGNER_(?:EXPIRED|REVOKED)$/.test(error.code)
      const logs = isLate ? this.#logs?.get(said.keyId) : undefined
      const at = logs && statedIn(logs)
      if (at === undefined) throw error
      return this.#judged(said, receivedAt, at)
    }
  }

  #judged(said: Said, receivedAt: number | undefined, statedAt?: number): SignedBy {
    const { key, refusal } = this.#found(said, receivedAt, statedAt)
    if (refusal) throw refusal
    return key.by(receivedAt, statedAt)
  }

  /**
   * The first lease that allows all of it; if none does, the first one, and why.
   *
   * @throws AlvariumError `SIGNER_UNKNOWN` for a key without any
   */
  #found({ keyId, signedMs, assert }: Said, receivedAt: number | undefined, statedAt?: number): FoundLease {
    const keys = this.#keys.get(keyId) ?? []
    for (const key of holdingAt(keys, signedMs)) {
      if (key.refusalOf(assert, receivedAt, statedAt) === undefined) return { key }
    }
    const [key] = keys
    const refusal = key?.refusalOf(assert, receivedAt, statedAt)
    if (key && refusal) return { key, refusal }
    throw new AlvariumError('SIGNER_UNKNOWN', `signer: expected a lease for it, got none: ${keyId}`)
  }
}

/** What a key has said, and when it says so, in whole milliseconds since 1970; never, if that is no time. */
interface Said {
  readonly keyId: string
  readonly signedMs: number | undefined
  readonly assert: Assertion
}

function msOf(timestamp: string): number | undefined {
  const ns = nanoseconds(timestamp)
  return ns === undefined ? undefined : milliseconds(ns)
}

/** The leases of a key are the same list for many messages. */
const byTime = new WeakMap<readonly JudgedLeaseKey[], ByTime<JudgedLeaseKey>>()

/** Those that may allow what was signed then: to ask each of a year's would take a thousand times as long as its signature. */
function holdingAt(keys: readonly JudgedLeaseKey[], ms: number | undefined): readonly JudgedLeaseKey[] {
  if (ms === undefined || keys.length < 2) return keys
  const known = byTime.get(keys) ?? new ByTime(keys)
  byTime.set(keys, known)
  return known.at(ms)
}

interface FoundLease {
  readonly key: JudgedLeaseKey
  /** There when it does not allow what was said. */
  readonly refusal?: AlvariumError
}

/** Of a message, as logs have it (FORMAT.md, Checkpoints). */
function leafOf(identity: Uint8Array): string {
  const leaf = join([Uint8Array.of(0), identity]).bytes
  return toHex(withCore((core) => core.sha256Many(leaf, Uint32Array.of(leaf.length))))
}

/** The leases of a key, by its id. */
type LeasedKeys = Pick<ReadonlyMap<string, readonly JudgedLeaseKey[]>, 'get'>
/** What they have signed, where they state it. */
type KeyedLogs = Pick<ReadonlyMap<string, StatedLogs>, 'get'>

const PER_MILLISECOND = 1_000_000n

function tooLong(signer: string, ns: bigint, maxLeaseMs: number): string | undefined {
  const got = `one of ${Number(ns) / 1e6} ms`
  if (maxLeaseMs === 0) return `lease: expected none, as ${signer} may give no leases, got ${got}`
  if (ns <= BigInt(maxLeaseMs) * PER_MILLISECOND) return undefined
  return `lease: expected one of at most ${maxLeaseMs} ms, as ${signer} may give, got ${got}`
}
