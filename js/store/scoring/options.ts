import * as v from 'valibot'
import { describe, expected } from '../../foundation/base/errors.js'
import { integer, readOptions, strict } from '../../foundation/base/options/schema.js'
import { isTrustPolicy, type TrustPolicy } from '../../signing/keys/trust-policy.js'
import { readPolicy, type ScoringPolicy } from '../../verifying/score/policy.js'

/** Option that applies a trust policy to the bundles of a query. */
export interface TrustOption {
  /**
   * Trust policy by which stored messages are verified again, at their times of receipt. Bundles that the
   * policy refuses do not count; the pages of `history` and `by` contain and mark them. Default: all bundles
   * count, because they were permitted when they were stored.
   */
  readonly trust?: TrustPolicy | undefined
}

export const trustSchema = v.optional(v.custom<TrustPolicy>(isTrustPolicy, 'a policy of readTrust'))

/** SHA-256 payload keys of the payloads in sealed sets, by set id. */
export type ListedSets = ReadonlyMap<string, Iterable<string>>

/**
 * Selects the scoring policy, the trust policy and the lists of sets for a score, and limits the ancestors.
 */
export interface ScoreOptions extends TrustOption {
  /** A policy of `readPolicy` from `alvarium-sdk/score`. Default: the store's policy. */
  readonly policy?: ScoringPolicy | undefined
  /** Maximum number of ancestors, 0 to 100,000. With more, the score is `unknown`. Default `1_000`. */
  readonly limit?: number | undefined
  /**
   * Payload keys of sealed sets, by set id, as `keys()` of a list returns them. A payload made from a set
   * counts as made from these payloads. The keys are not verified: `verifySet` of `alvarium-sdk/sets`
   * compares a list with its signature. Without the keys of a set, payloads made from that set are `unknown`.
   */
  readonly sets?: ReadonlyMap<string, Iterable<string>> | undefined
}

/** Valibot schema of {@link ScoreOptions}. It is exported for the documentation page of limits. */
export const scoreSchema = strict({
  trust: trustSchema,
  policy: v.optional(v.custom<ScoringPolicy>(isPolicy, 'a policy of readPolicy')),
  limit: integer(0, 100_000, 1_000),
  sets: v.optional(
    v.custom<ListedSets>((value) => value instanceof Map, 'a Map of payload keys by set id'),
    new Map(),
  ),
})

export type ScoreSettings = v.InferOutput<typeof scoreSchema>

export function readScoreOptions(options: ScoreOptions = {}): ScoreSettings {
  const settings = readOptions(scoreSchema, options, 'score')
  for (const [set, keys] of settings.sets) assertListed(set, keys)
  return settings
}

/** Refuses an iterator of payload keys, because it is empty when read again: the set would then count as empty. */
function assertListed(set: unknown, keys: unknown): void {
  if (!/^[0-9a-f]{64}$/.test(String(set))) {
    throw expected(
      'CONFIG_INVALID',
      'score.sets',
      'ids of sets, 64 lower-case hexadecimal digits',
      describe(set),
    )
  }
  const iterable = Object(keys)
  const begin: unknown = typeof keys === 'string' ? undefined : iterable[Symbol.iterator]
  if (typeof begin === 'function' && begin.call(iterable) !== keys) return
  const requirement = `the payload keys of the set ${set}, such as keys() of its KeyList`
  throw expected(
    'CONFIG_INVALID',
    'score.sets',
    requirement,
    begin === undefined ? describe(keys) : 'an iterator, which can be read only once',
  )
}

export function defaultPolicy(): ScoringPolicy {
  return readPolicy({ version: 1 })
}

/** Returns true if `readPolicy` made the policy. Only such a policy has a digest. */
export function isPolicy(value: unknown): boolean {
  return (
    typeof Object(value)['digest'] === 'string' &&
    Object(Object(value)['weighing']) === Object(value)['weighing']
  )
}
