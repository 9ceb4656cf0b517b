import type { Bundle } from '../bundle.js'
import { AlvariumError, type ErrorCode } from '../errors.js'
import { messagesOf } from '../group/packer.js'

/** A call that ended with an `AlvariumError`, which structured cloning would turn into a plain one. */
export interface Failure {
  readonly code: ErrorCode
  readonly message: string
}

/**
 * What became of the calls of a group, as it comes from a worker: their messages as the core joins them; the verified
 * bundles or the failure of each, as JSON; or, when one of them failed, the message or the failure of each.
 */
export type Results = Uint8Array<ArrayBuffer> | string | readonly (Uint8Array | Failure)[]

/** What became of a call: its message, or the verified bundles of one. */
export type Outcome = Uint8Array | Bundle[]

export function outcomesOf(results: Results, size: number): readonly (Outcome | AlvariumError)[] {
  if (results instanceof Uint8Array) return messagesOf(results, size)
  const outcomes: readonly (Outcome | Failure)[] = typeof results === 'string' ? JSON.parse(results) : results
  return outcomes.map((outcome) =>
    'code' in outcome ? new AlvariumError(outcome.code, outcome.message) : outcome,
  )
}
