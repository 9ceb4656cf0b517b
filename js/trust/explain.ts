import { AlvariumError, type ErrorCode } from '../base/errors.js'
import type { SignedBy } from '../keys/trust-policy.js'
import type { Bundle } from '../model/bundle.js'
import type { KnownKey, PolicyJudge } from './judge.js'
import type { Check } from './rules.js'

/** What a rule of a policy says of one field. */
export interface Finding {
  /** For example `host`, or `annotations[1].kind`. */
  readonly field: string
  readonly value: string
  readonly isAllowed: boolean
  /** The entry of the policy by which it is allowed; undefined where it has no such list, and for what is not allowed. */
  readonly by?: string
  /** All entries of the list; undefined where there is none, and everything is allowed. */
  readonly allowed?: readonly string[]
}

/** What a policy says of a bundle, and why. */
export interface Explanation {
  /** `ACCEPTED`, or the code of the error with which the bundle is refused. */
  readonly verdict: 'ACCEPTED' | ErrorCode
  /** The error's message. */
  readonly why?: string
  /** Whose key it is. */
  readonly signedBy?: SignedBy
  /** When the signer's key may sign, as far as the policy says. */
  readonly times?: {
    readonly from?: string
    readonly until?: string
    /** RFC 3339: what was signed in time may come as late as this. */
    readonly acceptedUntil?: string
    readonly revokedSince?: string
    readonly revokedWhy?: string
  }
  /** Every field that the policy looks at, in its order. */
  readonly findings: readonly Finding[]
}

/** All that the policy says of a bundle, by the rules by which it is judged. */
export function explained(judge: PolicyJudge, bundle: Bundle, receivedAt: number | undefined): Explanation {
  try {
    const key = judge.keyOf(bundle.signer)
    const signedBy = receivedAt === undefined ? key.signed : key.received
    const findings = Array.from(key.rules.checksOf(bundle), findingOf)
    return { ...verdictOf(judge, bundle, receivedAt), signedBy, times: timesOf(key), findings }
  } catch (error) {
    return { ...refused(error), findings: [] }
  }
}

function verdictOf(judge: PolicyJudge, bundle: Bundle, receivedAt: number | undefined) {
  try {
    judge.bundles([bundle], receivedAt)
    return { verdict: 'ACCEPTED' } as const
  } catch (error) {
    return refused(error)
  }
}

function refused(error: unknown): Pick<Explanation, 'verdict' | 'why'> {
  if (!(error instanceof AlvariumError)) throw error
  return { verdict: error.code, why: error.message }
}

function findingOf({ field, value, texts }: Check): Finding {
  const by = texts?.entryFor(value)
  const isAllowed = texts === undefined || by !== undefined
  return {
    field,
    value,
    isAllowed,
    ...(by !== undefined && { by }),
    ...(texts && { allowed: texts.written }),
  }
}

function timesOf({ times }: KnownKey): NonNullable<Explanation['times']> {
  const { from, until, lastReceipt, revoked } = times
  return {
    ...(from && { from: from.text }),
    ...(until && { until: until.text }),
    ...(lastReceipt !== undefined && { acceptedUntil: new Date(lastReceipt).toISOString() }),
    ...(revoked && { revokedSince: revoked.since.text }),
    ...(revoked?.why !== undefined && { revokedWhy: revoked.why }),
  }
}
