import { toHex } from '../../foundation/base/bytes/hex.js'
import { AlvariumError, ofSigner } from '../../foundation/base/errors.js'
import { milliseconds, nanoseconds } from '../../foundation/base/time/timestamp.js'
import { leafHash } from '../../foundation/core/hashing.js'
import type { Bundle } from '../../foundation/model/bundle.js'
import type {
  IdentityOf,
  JudgedKeyring,
  LoggedMessages,
  SignedAnnotation,
  SignedBy,
} from '../../signing/keys/trust-policy.js'
import { ByTime } from './by-time.js'
import { comparingSteps } from './comparing.js'
import { assertAllowed, assertAnnotation, assertInTime, type Grounds, timeOf } from './judge.js'
import type { Assertion, JudgedLeaseKey } from './judged-lease-key.js'
import type { StatedLogs } from './stated-logs.js'
import { isOfTime } from './witnessed-logs.js'

/** Policy check of statements by leased keys. */
export class LeaseJudge implements NonNullable<JudgedKeyring['judge']> {
  readonly #keys: KeyedLeases
  readonly #logs: KeyedLogs | undefined

  /**
   * @param keys - leases by key id
   * @param logs - logs that leases state, by the same ids
   */
  constructor(keys: KeyedLeases, logs?: KeyedLogs) {
    this.#keys = keys
    this.#logs = logs
  }

  bundles(bundles: readonly Bundle[], receivedAt: number | undefined, identityOf?: IdentityOf): SignedBy {
    const { signer, timestamp } = bundles[0] as Bundle
    const assert: Assertion = (limits, ...times) => assertAllowed(limits, bundles, ...times)
    return this.#inTimeOr(
      { keyId: signer, signedMs: msOf(timestamp), assert },
      receivedAt,
      (logs) => identityOf && logs.statedAt(toHex(leafHash(identityOf())), receivedAt),
    )
  }

  *comparingSteps(bundles: readonly Bundle[]): Generator<void, void> {
    const { signer, timestamp } = bundles[0] as Bundle
    for (const { limits } of holdingAt(this.#keys.get(signer) ?? [], msOf(timestamp))) {
      let isAllowed = true
      for (const one of limits) isAllowed &&= yield* comparingSteps(one, bundles)
      if (isAllowed) return
    }
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
    return this.#inTimeOr(said, receivedAt, (logs) => logs.rootStatedAt(checkpoint, receivedAt))
  }

  /** Returns the issuer of the key's first lease. Mostly, all leases of a key have the same issuer. */
  owner(keyId: string, receivedAt: number | undefined): SignedBy {
    const [key] = this.#keys.get(keyId) ?? []
    if (key) return key.by(receivedAt)
    throw new AlvariumError('SIGNER_UNKNOWN', `signer: expected a lease for ${keyId}, got none`)
  }

  /** @throws AlvariumError `SIGNER_UNKNOWN` */
  grounds(bundle: Bundle, receivedAt: number | undefined): Grounds {
    const assert: Assertion = (limits, at) => assertAllowed(limits, [bundle], at)
    const { signer: keyId, timestamp } = bundle
    const { key } = this.#found({ keyId, signedMs: msOf(timestamp), assert }, receivedAt)
    return { signedBy: key.by(receivedAt), limits: key.limits }
  }

  /** Checks a late statement once more, by the time at which a log shows that it existed. */
  #inTimeOr(
    said: DatedAssertion,
    receivedAt: number | undefined,
    statedIn: (logs: StatedLogs) => number | undefined,
  ): SignedBy {
    try {
      return this.#judged(said, receivedAt)
    } catch (error) {
      const logs = isOfTime(error) ? this.#logs?.get(said.keyId) : undefined
      const at = logs && statedIn(logs)
      if (at === undefined) throw error
      return this.#judged(said, receivedAt, at)
    }
  }

  #judged(said: DatedAssertion, receivedAt: number | undefined, statedAt?: number): SignedBy {
    const { key, refusal } = this.#found(said, receivedAt, statedAt)
    if (refusal) throw ofSigner(said.keyId, refusal)
    return key.by(receivedAt, statedAt)
  }

  /**
   * Returns the first lease that allows the whole statement. If none does, returns the first one that refuses only its
   * time, because a log may show that it existed earlier; otherwise the first one that counts. Both come with their
   * refusal.
   *
   * @throws AlvariumError `SIGNER_UNKNOWN` for a key without any
   */
  #found(
    { keyId, signedMs, assert }: DatedAssertion,
    receivedAt: number | undefined,
    statedAt?: number,
  ): FoundLease {
    const keys = this.#keys.get(keyId) ?? []
    const holding = holdingAt(keys, signedMs)
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

/** Statement of a key, and its time of signing in whole milliseconds since 1970; undefined if the timestamp is invalid. */
interface DatedAssertion {
  readonly keyId: string
  readonly signedMs: number | undefined
  readonly assert: Assertion
}

function msOf(timestamp: string): number | undefined {
  const ns = nanoseconds(timestamp)
  return ns === undefined ? undefined : milliseconds(ns)
}

/**
 * Limit of the leases of a key that count at one time (FORMAT.md, lease/1). Each compares the statement with its
 * patterns, and with its issuer's.
 */
const MAX_LEASES = 4

/** Leases sorted by time, for each list of leases: many messages share the list of their key. */
const byTime = new WeakMap<readonly JudgedLeaseKey[], ByTime<JudgedLeaseKey>>()

/**
 * Returns the leases that may allow a statement signed at that time. Checking all leases of a year would take a thousand
 * times as long as the signature.
 */
function holdingAt(keys: readonly JudgedLeaseKey[], ms: number | undefined): readonly JudgedLeaseKey[] {
  if (ms === undefined || keys.length < 2) return keys.slice(0, MAX_LEASES)
  const known = byTime.get(keys) ?? new ByTime(keys, bySerial)
  byTime.set(keys, known)
  return known.at(ms, MAX_LEASES)
}

/** Compares leases by their serials, because the order of arrival must not decide which ones count. */
function bySerial(one: JudgedLeaseKey, other: JudgedLeaseKey): number {
  return one.serial < other.serial ? -1 : one.serial > other.serial ? 1 : 0
}

interface FoundLease {
  readonly key: JudgedLeaseKey
  /** Present if the lease does not allow the statement. */
  readonly refusal?: AlvariumError
}

/** Leases by key id. */
type KeyedLeases = Pick<ReadonlyMap<string, readonly JudgedLeaseKey[]>, 'get'>
/** Logs that leases state, by key id. */
type KeyedLogs = Pick<ReadonlyMap<string, StatedLogs>, 'get'>
