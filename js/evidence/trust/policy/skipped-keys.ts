import { withNoun } from '../../../foundation/base/text/text.js'
import type { Policy } from './policy.js'

/** Policy as written, not checked yet. */
export interface WrittenPolicy {
  readonly policy: Policy
  /** Keys of a list for several programs that cannot be used here: the place and the kind of each, such as `line 3: ssh-rsa`. */
  readonly skippedKeys: readonly string[]
}

/** Limit of the skipped keys that a text names. */
const MAX_NAMED = 3

/** Names the first of skipped keys. */
export function listSkipped(skippedKeys: readonly string[]): string {
  const left = skippedKeys.length - MAX_NAMED
  const first = skippedKeys.slice(0, MAX_NAMED).join(', ')
  return left > 0 ? `${first} and ${left} more` : first
}

/** Counts skipped keys, and names the first of them. */
export function describeSkipped(skippedKeys: readonly string[]): string {
  return `skipped ${withNoun(skippedKeys.length, 'key')} that cannot be used: ${listSkipped(skippedKeys)}`
}
