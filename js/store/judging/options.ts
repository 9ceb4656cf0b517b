import * as v from 'valibot'
import { integer, readOptions, strict } from '../../base/options/schema.js'
import { type JudgingPolicy, readPolicy } from '../../judge/policy.js'

/** How to score a payload. */
export interface ScoreOptions {
  /** A policy as `readPolicy` of `alvarium-sdk/judge` gives it. Default: that of the store. */
  readonly policy?: JudgingPolicy | undefined
  /** Most ancestors that are looked at, 0 to 100,000. With more the score is `unknown`. Default `1_000`. */
  readonly limit?: number | undefined
}

/** The page of limits shows it. */
export const scoreSchema = strict({
  policy: v.optional(v.custom<JudgingPolicy>(isPolicy, 'a policy of readPolicy')),
  limit: integer(0, 100_000, 1_000),
})

export type ScoreSettings = v.InferOutput<typeof scoreSchema>

/** @throws AlvariumError `CONFIG_INVALID` */
export function readScoreOptions(options: ScoreOptions = {}): ScoreSettings {
  return readOptions(scoreSchema, options, 'score')
}

/** The policy of a store that was given none. */
export function usualPolicy(): JudgingPolicy {
  return readPolicy({ version: 1 })
}

/** Whether it was read: a file of one has no digest. */
export function isPolicy(value: unknown): boolean {
  return (
    typeof Object(value)['digest'] === 'string' &&
    Object(Object(value)['weighing']) === Object(value)['weighing']
  )
}
