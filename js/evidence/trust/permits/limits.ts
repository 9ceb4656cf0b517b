import type { AlvariumError } from '../../../foundation/base/errors.js'
import type { Bundle } from '../../../foundation/model/bundle.js'
import type { SignedBy } from '../../../signing/keys/trust-policy.js'
import type { ReadSigner } from '../policy/policy-schema.js'
import type { Rules } from './rules.js'
import type { Times } from './times.js'

/**
 * Number of annotations to compare in one step. Each may have a tag of 1,024 bytes, which is compared with
 * eight patterns.
 */
const STEP_ANNOTATIONS = 32

/** Cached refusals of messages; null if all bundles are allowed. */
const refusals = new WeakMap<readonly Bundle[], Map<Limits, AlvariumError | null>>()

/** Returns the first refusal of bundles by the limits of a key or a lease; undefined if all bundles are allowed. */
export function refusalOf(limits: Limits, bundles: readonly Bundle[]): AlvariumError | undefined {
  const known = refusals.get(bundles)?.get(limits)
  if (known !== undefined) return known ?? undefined
  for (let at = 0; at < bundles.length; at++) {
    const refusal = refusalAt(limits, bundles, at)
    if (refusal) return refusal
  }
  return undefined
}

/**
 * Checks very many bundles in short steps, and caches their first refusal for {@link refusalOf} as long as the
 * bundles exist.
 *
 * @returns whether all bundles are allowed
 */
export function* compareSteps(limits: Limits, bundles: readonly Bundle[]): Generator<void, boolean> {
  const known = refusals.get(bundles) ?? new Map<Limits, AlvariumError | null>()
  const refusal = known.has(limits) ? known.get(limits) : ((yield* findRefusalSteps(limits, bundles)) ?? null)
  refusals.set(bundles, known.set(limits, refusal ?? null))
  return !refusal
}

function* findRefusalSteps(
  limits: Limits,
  bundles: readonly Bundle[],
): Generator<void, AlvariumError | undefined> {
  let left = STEP_ANNOTATIONS
  for (const [at, { annotations }] of bundles.entries()) {
    for (let from = 0; from === 0 || from < annotations.length; from += STEP_ANNOTATIONS) {
      const refusal = refusalAt(limits, bundles, at, from)
      if (refusal) return refusal
      left -= 1 + Math.min(STEP_ANNOTATIONS, annotations.length - from)
      if (left > 0) continue
      left = STEP_ANNOTATIONS
      yield
    }
  }
  return undefined
}

/**
 * Returns the refusal of one bundle.
 *
 * @param from - index of the first annotation to check in this step; undefined to check all annotations
 */
function refusalAt(
  { rules, times }: Limits,
  bundles: readonly Bundle[],
  at: number,
  from?: number,
): AlvariumError | undefined {
  const bundle = bundles[at] as Bundle
  const isInTime = times.include(bundle.timestamp)
  const refused = isInTime
    ? rules.firstRefused(bundle, from, from === undefined ? from : from + STEP_ANNOTATIONS)
    : undefined
  if (isInTime && !refused) return undefined
  const place = bundles.length > 1 ? `bundles[${at}].` : ''
  if (refused) return rules.refusal(refused, place)
  return times.refusal(bundle.timestamp, `${place}timestamp`)
}

/** Key of a policy, with its rules, times and limits for leases. */
export interface KeyWithLimits {
  readonly id: string
  readonly signer: string
  readonly rules: Rules
  readonly times: Times
  readonly leasing: LeaseLimits
  /** Value of `signedBy` for bundles without a known time of receipt; `received` is the value for all others. */
  readonly signed: SignedBy
  readonly received: SignedBy
}

interface LeaseLimits {
  readonly acceptLateMs: number
  readonly maxLeaseMs: number
  readonly revokedLeases: ReadSigner['revokedLeases']
}

export type Limits = Pick<KeyWithLimits, 'rules' | 'times'>
