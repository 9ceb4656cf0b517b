import { describe, expected } from '../base/errors.js'
import { assertNames } from '../base/options/names.js'

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
export interface Rules {
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
export function readPolicy(policy: ScorePolicy, names: Readonly<typeof NAMES> = NAMES): Rules {
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
