import { describe, expected } from '../../foundation/base/errors.js'
import { assertNames } from '../../foundation/base/options/names.js'
import { runSync } from '../../foundation/base/time/turns.js'
import { scoreOf, shareOf, type Weighing } from './share.js'

/** Numbers of satisfied and unsatisfied annotations of a kind. */
export interface Answers {
  /** Number of satisfied annotations. */
  readonly yes: number
  /** Number of unsatisfied annotations. */
  readonly no: number
}

/** Returns the score of a payload from its answers by kind. */
export function scoreAnswers(answers: ReadonlyMap<string, Answers>, { weighing }: ScoreRules): number {
  const said = [...answers].flatMap(([kind, { yes, no }]) => [
    { kind, isSatisfied: true, count: yes, trust: 1 },
    { kind, isSatisfied: false, count: no, trust: 1 },
  ])
  return scoreOf(runSync(shareOf(said, weighing)))
}

/** Policy by which {@link Confidence} scores payloads. */
export interface ScorePolicy {
  /** Weights of kinds, from `0` to `1_000_000`, rounded to millionths. Other kinds weigh `1`. */
  readonly weights?: Readonly<Record<string, number>> | undefined
  /** Required kinds. Without a yes to each, or with a no, the score is 0. Default: none. */
  readonly required?: readonly string[] | undefined
  /** True to count a signer once for each payload and kind; a no outweighs a yes. Default: `false`. */
  readonly oncePerSigner?: boolean | undefined
}

/** Validated {@link ScorePolicy} with all defaults filled in. */
export interface ScoreRules {
  readonly weighing: Weighing
  readonly isOncePerSigner: boolean
}

/** Maximum weight of a kind. A higher weight would make kinds with weight 1 insignificant. */
export const MAX_WEIGHT = 1_000_000
/** Number of weight units in a weight of 1. Weights are whole units, so that sums are exact. */
const MILLION = 1_000_000

const NAMES = { weights: 'policy.weights', required: 'policy.required' }

/**
 * Validates a policy and fills in the defaults.
 *
 * @param names - names of the policy's members in errors
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
  if (typeof weight === 'number' && weight >= 0 && weight <= MAX_WEIGHT) return
  const got = typeof weight === 'number' ? `${weight}` : describe(weight)
  throw expected('CONFIG_INVALID', field, `a number from 0 to ${MAX_WEIGHT} for ${kind}`, got)
}
