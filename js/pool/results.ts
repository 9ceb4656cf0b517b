import { messagesOf } from '../base/bytes/join.js'
import { type AlvariumError, isBytes } from '../base/errors.js'
import type { IdentifiedBundle } from '../model/bundle.js'
import { answersIn, type Failure, outcomeOf } from '../verify/many.js'

/**
 * What became of the calls of a job, as it comes from a worker: their messages as the core joins them; the verified
 * bundles or the failure of each, as JSON; or, when one of them failed, the message or the failure of each.
 */
export type Results = Uint8Array<ArrayBuffer> | string | readonly (Uint8Array | Failure)[]

/** Of one call: its message, or the verified bundles of one. */
export type Result = Uint8Array | IdentifiedBundle[]

export function outcomesOf(results: Results): readonly (Result | AlvariumError)[] {
  if (isBytes(results)) return messagesOf(results)
  if (typeof results === 'string') return answersIn(results).map(outcomeOf)
  return results.map(outcomeOf)
}
