import { textOf } from '../../base/errors.js'
import { secondName } from '../../base/scan.js'
import { invalid } from '../fault.js'

/** How to judge, as it was asked for. */
export interface RuleOptions {
  readonly weights?: string
  readonly require?: readonly string[]
  readonly oncePerSigner?: boolean
}

/** How to judge what was said. */
export interface Rules {
  /** By kind; those that are not named weigh 1. */
  readonly weights: ReadonlyMap<string, number>
  /** Kinds without which nothing else counts. */
  readonly required: readonly string[]
  readonly isOncePerSigner: boolean
}

/** More would leave nothing of what weighs 1. */
const MOST_WEIGHT = 1_000_000

/** @throws AlvariumError `CONFIG_INVALID` */
export function rulesOf({ weights, require = [], oncePerSigner = false }: RuleOptions): Rules {
  if (require.includes('')) throw invalid('--require', 'a kind', 'nothing')
  return { weights: weightsIn(weights), required: require, isOncePerSigner: oncePerSigner }
}

function weightsIn(text = '{}'): Map<string, number> {
  const weights = new Map<string, unknown>(Object.entries(objectIn(text)))
  for (const [kind, weight] of weights) {
    const isWeight = typeof weight === 'number' && weight >= 0 && weight <= MOST_WEIGHT
    if (!isWeight) {
      throw invalid('--weights', `a number from 0 to ${MOST_WEIGHT} for ${kind}`, JSON.stringify(weight))
    }
  }
  return weights as Map<string, number>
}

function objectIn(text: string): object {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw invalid('--weights', 'JSON, for example {"tls":2}', textOf(error))
  }
  // Of two the last would count, and nobody would know that there was another.
  if (secondName(text) !== undefined) throw invalid('--weights', 'each kind once', 'one of them twice')
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw invalid('--weights', 'an object, for example {"tls":2}', JSON.stringify(value))
}
