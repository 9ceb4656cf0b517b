import { withNoun } from '../../../foundation/base/text/text.js'
import type { Policy } from './policy.js'

export interface WrittenPolicy {
  readonly policy: Policy
  /**
   * Place and kind of each unusable key, such as `line 3: ssh-rsa`. Lists for other programs may have
   * unusable keys.
   */
  readonly skippedKeys: readonly string[]
}

/** Maximum number of skipped keys that an error or a warning lists. */
const MAX_NAMED = 3

export function listSkipped(skippedKeys: readonly string[]): string {
  const left = skippedKeys.length - MAX_NAMED
  const first = skippedKeys.slice(0, MAX_NAMED).join(', ')
  return left > 0 ? `${first} and ${left} more` : first
}

export function describeSkipped(skippedKeys: readonly string[]): string {
  return `skipped ${withNoun(skippedKeys.length, 'key')} that cannot be used: ${listSkipped(skippedKeys)}`
}
