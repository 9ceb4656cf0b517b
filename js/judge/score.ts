import { describe, expected, numberOr } from '../base/errors.js'
import { assertNames } from '../base/options/names.js'
import { atOnce } from '../base/time/steps.js'
import { type Share, shareOf, type Weighing, WHOLE } from './share.js'

/** How often the annotations of a kind are satisfied, and how often they are not. */
export interface Answers {
  /** Satisfied annotations. */
  readonly yes: number
  /** The others. */
  readonly no: number
}

/** See `Confidence.score`. */
export function ratioOf(answers: ReadonlyMap<string, Answers>, { weighing }: ScoreRules): number {
  const said = [...answers].flatMap(([kind, { yes, no }]) => [
    { kind, isSatisfied: true, count: yes, trust: WHOLE },
    { kind, isSatisfied: false, count: no, trust: WHOLE },
  ])
  return quotientOf(atOnce(shareOf(said, weighing)))
}

/** A quotient of smaller numbers, if it is rounded, stays on its side of each hundredth. */
const MAX_EXACT = 2n ** 46n
/** The bits of a number behind its point. */
const FRACTION_BITS = 52n

/** Returns a share as a number from 0 to 1. One that is too long to be exact is rounded down: only a whole is 1. */
function quotientOf({ earned, all }: Share): number {
  if (all === 0n) return 0
  const divisor = greatestDivisor(all, earned)
  if (all / divisor < MAX_EXACT) return Number(earned / divisor) / Number(all / divisor)
  return Number((earned << FRACTION_BITS) / all) / Number(1n << FRACTION_BITS)
}

function greatestDivisor(one: bigint, other: bigint): bigint {
  return other === 0n ? one : greatestDivisor(other, one % other)
}

/**
 * A score in percent. To show it, round it down with `Math.floor`: 99.9 % is not 100 %. 57 of 100 is 57 here, although
 * `100 * 0.57` is less. A score below a whole percent stays below it, however little is missing.
 *
 * @param score - from 0 to 1, as `Confidence` has it; that of `judge` is in ten-thousandths, so divide it by 10,000
 * @returns from 0 to 100
 * @throws RangeError when `score` is not from 0 to 1
 *
 * @example
 * ```ts
 * import { percentOf } from 'alvarium-sdk/judge'
 *
 * console.log(Math.floor(percentOf(0.57)), Math.floor(percentOf(0.999))) // 57 99
 * ```
 */
export function percentOf(score: number): number {
  if (!(score >= 0 && score <= 1)) {
    throw new RangeError(`score: expected a number from 0 to 1, got ${numberOr(score)}`)
  }
  const percent = 100 * score
  const whole = Math.round(percent)
  if (score === whole / 100) return whole
  // The product is rounded: it may have reached the whole number, or not.
  return score < whole / 100 ? Math.min(percent, whole * (1 - Number.EPSILON)) : Math.max(percent, whole)
}

/** How to score payloads. */
export interface ScorePolicy {
  /** How much an annotation of each kind counts, from `0` to `1_000_000`, in millionths. Kinds that are not named weigh `1`. */
  readonly weights?: Readonly<Record<string, number>> | undefined
  /** Kinds that a payload needs. It scores 0 without a yes of each, or with a no. Default: none. */
  readonly required?: readonly string[] | undefined
  /** Whether each signer counts once for each payload and kind. If it said yes and no, the no counts. Default: `false`. */
  readonly oncePerSigner?: boolean | undefined
}

/** A policy that was checked. */
export interface ScoreRules {
  readonly weighing: Weighing
  readonly isOncePerSigner: boolean
}

/** A kind that weighs more leaves nothing of those that weigh 1. */
export const MOST_WEIGHT = 1_000_000
/** Weights are whole numbers of millionths: what is added up is exact. */
const MILLION = 1_000_000

const NAMES = { weights: 'policy.weights', required: 'policy.required' }

/**
 * @param names - what its members are called in errors
 * @throws AlvariumError `CONFIG_INVALID`
 */
export function readScorePolicy(policy: ScorePolicy, names: Readonly<typeof NAMES> = NAMES): ScoreRules {
  assertNames(policy, ['weights', 'required', 'oncePerSigner'], 'policy.')
  const { weights = {}, required = [], oncePerSigner = false } = policy
  for (const kind of required) {
    if (typeof kind === 'string' && kind !== '') continue
    throw expected('CONFIG_INVALID', names.required, 'a kind', kind === '' ? 'nothing' : describe(kind))
  }
  for (const [kind, weight] of Object.entries(weights)) assertWeight(kind, weight, names.weights)
  const millionths = Object.entries(weights).map(([kind, weight]) => {
    return [kind, BigInt(Math.round(weight * MILLION))] as const
  })
  const weighing = { weights: new Map(millionths), otherWeight: BigInt(MILLION), required: [...required] }
  return { weighing, isOncePerSigner: oncePerSigner }
}

function assertWeight(kind: string, weight: unknown, field: string): void {
  if (typeof weight === 'number' && weight >= 0 && weight <= MOST_WEIGHT) return
  const got = typeof weight === 'number' ? `${weight}` : describe(weight)
  throw expected('CONFIG_INVALID', field, `a number from 0 to ${MOST_WEIGHT} for ${kind}`, got)
}
