import type { ScorePolicy } from 'alvarium-sdk/judge'
import { textOf } from '../../base/errors.js'
import { secondName } from '../../base/text/scan.js'
import { readPolicy } from '../../judge/policy.js'
import { invalid } from '../fault.js'

/** How to judge, as it was asked for. */
export interface RuleOptions {
  readonly weights?: string
  readonly require?: readonly string[]
  readonly oncePerSigner?: boolean
}

const NAMES = { weights: '--weights', required: '--require' }

/** @throws AlvariumError `CONFIG_INVALID` */
export function policyOf({ weights = '{}', require, oncePerSigner }: RuleOptions): ScorePolicy {
  const policy = { weights: objectIn(weights), required: require, oncePerSigner }
  readPolicy(policy, NAMES)
  return policy
}

function objectIn(text: string): Record<string, number> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw invalid('--weights', 'JSON, for example {"tls":2}', textOf(error))
  }
  // Of two the last would count, and nobody would know that there was another.
  if (secondName(text) !== undefined) throw invalid('--weights', 'each kind once', 'one of them twice')
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  throw invalid('--weights', 'an object, for example {"tls":2}', JSON.stringify(value))
}
