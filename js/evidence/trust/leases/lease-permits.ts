import { toHex } from '../../../foundation/base/bytes/hex.js'
import { AlvariumError, ofSigner } from '../../../foundation/base/errors.js'
import { milliseconds, nanoseconds } from '../../../foundation/base/time/timestamp.js'
import { leafHash } from '../../../foundation/core/hashing.js'
import type { Bundle } from '../../../foundation/model/bundle.js'
import type {
  IdentityOf,
  JudgedKeyring,
  LoggedMessages,
  SignedAnnotation,
  SignedBy,
} from '../../../signing/keys/trust-policy.js'
import { compareSteps } from '../permits/limits.js'
import {
  assertAllowed,
  assertAnnotation,
  assertInTime,
  type DecidingLimits,
  timeOf,
} from '../permits/policy-permits.js'
import type { StatedLogs } from '../permits/stated-logs.js'
import { TimeSpans } from '../permits/time-spans.js'
import { isOfTime } from '../permits/witnessed-logs.js'
import type { LeaseKey, LimitsCheck } from './lease-key.js'

export class LeasePermits implements NonNullable<JudgedKeyring['judge']> {
  readonly #keys: KeyedLeases
  readonly #logs: KeyedLogs | undefined

  /**
   * @param keys - leases by key id
   * @param logs - logs that leases contain as `log`, by the key id of the logs' signer
   */
  constructor(keys: KeyedLeases, logs?: KeyedLogs) {
    this.#keys = keys
    this.#logs = logs
  }

  bundles(bundles: readonly Bundle[], receivedAt: number | undefined, identityOf?: IdentityOf): SignedBy {
    const { signer, timestamp } = bundles[0] as Bundle
    const assert: LimitsCheck = (limits, ...times) => assertAllowed(limits, bundles, ...times)
    return this.#permitByLog(
      { keyId: signer, signedMs: msOf(timestamp), assert },
      receivedAt,
      (logs) => identityOf && logs.statedAt(toHex(leafHash(identityOf())), receivedAt),
    )
  }

  *comparingSteps(bundles: readonly Bundle[]): Generator<void, void> {
    const { signer, timestamp } = bundles[0] as Bundle
    for (const { limits } of leasesInForceAt(this.#keys.get(signer) ?? [], msOf(timestamp))) {
      let isAllowed = true
      for (const one of limits) isAllowed &&= yield* compareSteps(one, bundles)
      if (isAllowed) return
    }
  }

  annotation(keyId: string, annotation: SignedAnnotation, receivedAt: number | undefined): SignedBy {
    const assert: LimitsCheck = (limits, at) => assertAnnotation(limits, annotation, at)
    return this.#permit({ keyId, signedMs: msOf(annotation.timestamp), assert }, receivedAt)
  }

  request(keyId: string, signedAt: number | undefined, receivedAt: number): SignedBy {
    const [signedMs, field] = timeOf(signedAt, receivedAt)
    const assert: LimitsCheck = (limits) => assertInTime(limits, signedMs, field, receivedAt)
    return this.#permit({ keyId, signedMs: Math.floor(signedMs), assert }, receivedAt)
  }

  checkpoint(checkpoint: LoggedMessages, signedAt: number, receivedAt: number | undefined): SignedBy {
    const assert: LimitsCheck = (limits, ...times) => assertInTime(limits, signedAt, 'at', ...times)
    const statement = { keyId: checkpoint.signer, signedMs: Math.floor(signedAt), assert }
    return this.#permitByLog(statement, receivedAt, (logs) => logs.rootStatedAt(checkpoint, receivedAt))
  }

  /** Returns the issuer of the key's first lease. Usually all leases of a key have the same issuer. */
  owner(keyId: string, receivedAt: number | undefined): SignedBy {
    const [key] = this.#keys.get(keyId) ?? []
    if (key) return key.by(receivedAt)
    throw new AlvariumError('SIGNER_UNKNOWN', `signer: expected a lease for ${keyId}, got none`)
  }

  grounds(bundle: Bundle, receivedAt: number | undefined): DecidingLimits {
    const assert: LimitsCheck = (limits, at) => assertAllowed(limits, [bundle], at)
    const { signer: keyId, timestamp } = bundle
    const { key } = this.#findLease({ keyId, signedMs: msOf(timestamp), assert }, receivedAt)
    return { signedBy: key.by(receivedAt), limits: key.limits }
  }

  /**
   * Checks a statement against the leases of its key. If the leases refuse only the time, and a lease's `log`
   * proves an earlier time, checks the statement again with the earlier time.
   */
  #permitByLog(
    statement: DatedStatement,
    receivedAt: number | undefined,
    statedIn: (logs: StatedLogs) => number | undefined,
  ): SignedBy {
    try {
      return this.#permit(statement, receivedAt)
    } catch (error) {
      const logs = isOfTime(error) ? this.#logs?.get(statement.keyId) : undefined
      const at = logs && statedIn(logs)
      if (at === undefined) throw error
      return this.#permit(statement, receivedAt, at)
    }
  }

  #permit(statement: DatedStatement, receivedAt: number | undefined, statedAt?: number): SignedBy {
    const { key, refusal } = this.#findLease(statement, receivedAt, statedAt)
    if (refusal) throw ofSigner(statement.keyId, refusal)
    return key.by(receivedAt, statedAt)
  }

  /**
   * Returns a lease of the key, in this order of preference:
   *
   * 1. the first that allows the whole statement;
   * 2. the first that refuses only the time, because a log may show that the statement existed earlier;
   * 3. the first one.
   *
   * At most {@link MAX_LEASES_AT_ONCE} of the leases in force at the time of the statement count.
   *
   * @throws AlvariumError `SIGNER_UNKNOWN` for a key without leases
   */
  #findLease(
    { keyId, signedMs, assert }: DatedStatement,
    receivedAt: number | undefined,
    statedAt?: number,
  ): FoundLease {
    const keys = this.#keys.get(keyId) ?? []
    const holding = leasesInForceAt(keys, signedMs)
    let late: FoundLease | undefined
    for (const key of holding) {
      const refusal = key.refusalOf(assert, receivedAt, statedAt)
      if (refusal === undefined) return { key }
      if (isOfTime(refusal)) late ??= { key, refusal }
    }
    if (late) return late
    const key = keys.find((one) => holding.includes(one) || !one.holdsAt(signedMs))
    const refusal = key?.refusalOf(assert, receivedAt, statedAt)
    if (key && refusal) return { key, refusal }
    throw new AlvariumError('SIGNER_UNKNOWN', `signer: expected a lease for ${keyId}, got none`, {
      signer: keyId,
    })
  }
}

/** Statement that a key signed. `signedMs` is in milliseconds since 1970; undefined if the timestamp is invalid. */
interface DatedStatement {
  readonly keyId: string
  readonly signedMs: number | undefined
  readonly assert: LimitsCheck
}

function msOf(timestamp: string): number | undefined {
  const ns = nanoseconds(timestamp)
  return ns === undefined ? undefined : milliseconds(ns)
}

/**
 * Maximum number of leases to compare with a statement (FORMAT.md, lease/1), because each has many patterns.
 */
const MAX_LEASES_AT_ONCE = 4

/** Leases sorted by time, cached for each list of leases, because a key signs many messages with the same leases. */
const spansOfLeases = new WeakMap<readonly LeaseKey[], TimeSpans<LeaseKey>>()

/**
 * Returns the leases that may allow a statement at a time. Checking all leases of a year would take a
 * thousand times as long as verifying the signature.
 */
function leasesInForceAt(keys: readonly LeaseKey[], ms: number | undefined): readonly LeaseKey[] {
  if (ms === undefined || keys.length < 2) return keys.slice(0, MAX_LEASES_AT_ONCE)
  const known = spansOfLeases.get(keys) ?? new TimeSpans(keys, bySerial)
  spansOfLeases.set(keys, known)
  return known.at(ms, MAX_LEASES_AT_ONCE)
}

/** Compares leases by serial, so that the order of arrival does not decide which leases count. */
function bySerial(one: LeaseKey, other: LeaseKey): number {
  return one.serial < other.serial ? -1 : one.serial > other.serial ? 1 : 0
}

interface FoundLease {
  readonly key: LeaseKey
  readonly refusal?: AlvariumError
}

type KeyedLeases = Pick<ReadonlyMap<string, readonly LeaseKey[]>, 'get'>
type KeyedLogs = Pick<ReadonlyMap<string, StatedLogs>, 'get'>
