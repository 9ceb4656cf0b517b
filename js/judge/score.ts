import { describe, expected } from '../base/errors.js'
import { assertNames } from '../base/options/names.js'

/** How often the annotations of a kind are satisfied, and how often they are not. */
export interface Answers {
  /** Satisfied annotations. */
  readonly yes: number
  /** The others. */
  readonly no: number
}

/** See `Confidence.score`. */
export function scoreOf(answers: ReadonlyMap<string, Answers>, { weights, required }: ScoreRules): number {
  // Without an answer there is no number of noes either.
  if (required.some((kind) => answers.get(kind)?.no !== 0)) return 0
  let [satisfied, all] = [0, 0]
  for (const [kind, { yes, no }] of answers) {
    const weight = weights.get(kind) ?? 1
    satisfied += weight * yes
    all += weight * (yes + no)
  }
  return all === 0 ? 0 : satisfied / all
}

/**
 * A score in percent. To show it, round it down with `Math.floor`: 99.9 % is not 100 %. 57 of 100 is 57 here, although
 * `100 * 0.57` is less.
 *
 * @param score - from 0 to 1
 * @returns from 0 to 100
 *
 * @example
 * ```ts
 * import { percentOf } from 'alvarium-sdk/judge'
 *
 * console.log(Math.floor(percentOf(0.57)), Math.floor(percentOf(0.999))) // 57 99
 * ```
 */
export function percentOf(score: number): number {
  const exact = 100 * score
  const whole = Math.round(exact)
  return Math.abs(exact - whole) < 1e-9 ? whole : exact
}

/** How to score payloads. */
export interface ScorePolicy {
  /** How much an annotation of each kind counts, from `0` to `1_000_000`. Kinds that are not named weigh `1`. */
  readonly weights?: Readonly<Record<string, number>> | undefined
  /** Kinds that a payload needs. It scores 0 without a yes of each, or with a no. Default: none. */
  readonly required?: readonly string[] | undefined
  /** Whether each signer counts once for each payload and kind. If it said yes and no, the no counts. Default: `false`. */
  readonly oncePerSigner?: boolean | undefined
}

/** A policy that was checked. */
export interface ScoreRules {
  /** A map, because a kind may be called `constructor`. */
  readonly weights: ReadonlyMap<string, number>
  readonly required: readonly string[]
  readonly isOncePerSigner: boolean
}

/** A kind that weighs more leaves nothing of those that weigh 1. */
const MOST_WEIGHT = 1_000_000

const NAMES = { weights: 'policy.weights', required: 'policy.required' }

/**
 * @param names - what its members are called in errors
 * @throws AlvariumError `CONFIG_INVALID`
 */
export function readPolicy(policy: ScorePolicy, names: Readonly<typeof NAMES> = NAMES): ScoreRules {
  assertNames(policy, ['weights', 'required', 'oncePerSigner'], 'policy.')
  const { weights = {}, required = [], oncePerSigner = false } = policy
  for (const kind of required) {
    if (typeof kind === 'string' && kind !== '') continue
    throw expected('CONFIG_INVALID', names.required, 'a kind', kind === '' ? 'nothing' : describe(kind))
  }
  const all = new Map(Object.entries(weights))
  for (const [kind, weight] of all) assertWeight(kind, weight, names.weights)
  return { weights: all, required: [...required], isOncePerSigner: oncePerSigner }
}

function assertWeight(kind: string, weight: unknown, field: string): void {
  if (typeof weight === 'number' && weight >= 0 && weight <= MOST_WEIGHT) return
  const got = String(typeof weight === 'number' ? weight : JSON.stringify(weight))
  throw expected('CONFIG_INVALID', field, `a number from 0 to ${MOST_WEIGHT} for ${kind}`, got)
}
