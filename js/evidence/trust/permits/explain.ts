import { AlvariumError, type ErrorCode } from '../../../foundation/base/errors.js'
import type { Bundle } from '../../../foundation/model/bundle.js'
import type { PolicyCheck, SignedBy } from '../../../signing/keys/trust-policy.js'
import type { DecidingLimits } from './policy-permits.js'
import type { Check } from './rules.js'
import { earlier } from './stated-logs.js'
import { intersectionOf, type Times } from './times.js'

/** Result of checking one field against a policy. */
export interface Finding {
  /** Path of the field, such as `host` or `annotations[1].kind`. */
  readonly field: string
  readonly value: string
  readonly isAllowed: boolean
  /** Entry of the policy that allows the value; undefined if no entry allows it, or there is no list for the field. */
  readonly by?: string
  /** All entries of the list for the field; undefined without a list, which allows every value. */
  readonly allowed?: readonly string[]
  /** Serial of the lease that the field was checked against; undefined if it was checked against the policy. */
  readonly lease?: string
}

/** Explanation of a policy's decision about a bundle. */
export interface Explanation {
  /** `ACCEPTED`, or the code of the error that refuses the bundle. */
  readonly verdict: 'ACCEPTED' | ErrorCode
  /** Message of the error; undefined for `ACCEPTED`. */
  readonly why?: string
  /** Signer that the key belongs to. */
  readonly signedBy?: SignedBy
  /** Times at which the key may sign, by the policy and, for a leased key, by the lease. */
  readonly times?: {
    readonly from?: string
    readonly until?: string
    /** Latest time of receipt for a message that was signed in time, in RFC 3339. */
    readonly acceptedUntil?: string
    readonly revokedSince?: string
    readonly revokedWhy?: string
  }
  /**
   * Findings of the policy about each checked field: action, host, layer, then the kind and tag of each
   * annotation. The findings of a lease follow, if there is one.
   */
  readonly findings: readonly Finding[]
}

interface ExplainablePolicy extends Pick<PolicyCheck, 'bundles'> {
  grounds(bundle: Bundle, receivedAt: number | undefined): DecidingLimits
}

export function explain(
  judge: ExplainablePolicy,
  bundle: Bundle,
  receivedAt: number | undefined,
): Explanation {
  try {
    const { signedBy, limits } = judge.grounds(bundle, receivedAt)
    const findings = limits.flatMap(({ rules, lease }) =>
      Array.from(rules.checksOf(bundle), (check) => findingOf(check, lease)),
    )
    const times = timesOf(limits.map((one) => one.times))
    return { ...verdictOf(judge, bundle, receivedAt), signedBy, times, findings }
  } catch (error) {
    return { ...refusalVerdict(error), findings: [] }
  }
}

function verdictOf(judge: ExplainablePolicy, bundle: Bundle, receivedAt: number | undefined) {
  try {
    judge.bundles([bundle], receivedAt)
    return { verdict: 'ACCEPTED' } as const
  } catch (error) {
    return refusalVerdict(error)
  }
}

function refusalVerdict(error: unknown): Pick<Explanation, 'verdict' | 'why'> {
  if (!(error instanceof AlvariumError)) throw error
  return { verdict: error.code, why: error.message }
}

function findingOf({ field, value, texts }: Check, lease: string | undefined): Finding {
  const by = texts?.entryFor(value)
  const isAllowed = texts === undefined || by !== undefined
  return {
    field,
    value,
    isAllowed,
    ...(by !== undefined && { by }),
    ...(texts && { allowed: texts.written }),
    ...(lease !== undefined && { lease }),
  }
}

function timesOf(all: readonly Times[]): NonNullable<Explanation['times']> {
  const { from, until, revoked } = intersectionOf(all)
  const lastReceipt = all.reduce<number | undefined>((last, one) => earlier(last, one.lastReceipt), undefined)
  return {
    ...(from && { from: from.text }),
    ...(until && { until: until.text }),
    ...(lastReceipt !== undefined && { acceptedUntil: new Date(lastReceipt).toISOString() }),
    ...(revoked && { revokedSince: revoked.since.text }),
    ...(revoked?.why !== undefined && { revokedWhy: revoked.why }),
  }
}
