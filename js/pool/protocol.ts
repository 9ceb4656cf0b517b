import { messagesOf } from '../base/bytes/join.js'
import { type AlvariumError, isBytes } from '../base/errors.js'
import type { IdentifiedBundle } from '../model/bundle.js'
import type { KeyringKeys, SealerSetup } from '../model/worker-pool.js'
import { answersIn, type Failure, outcomeOf } from '../verify/many.js'

/** What calls have in common, and a worker keeps between them. */
export type Setup = SealerSetup | VerifierSetup

/** What a worker needs to verify by one keyring. */
export interface VerifierSetup extends KeyringKeys {
  /** The module that EC keys need, if there are any. */
  readonly algorithms?: object | undefined
}

/** A payload that is not copied into its job. */
export interface OutOfLine {
  readonly payload: Uint8Array
  /** Whether it is the worker's alone: it cannot be sent twice. */
  readonly isHandedOver: boolean
  /** What it had when it was given: none is left of what was transferred to a worker that died. */
  readonly length: number
  /** Where in the job's bytes its digest goes. */
  readonly at: number
}

/** The items of a job, in memory that stays where it is until they are answered, or is a copy. */
interface GroupIn {
  readonly job: number
  readonly context: number
  readonly memory: ArrayBufferLike
  /** How many items there are. */
  readonly size: number
}

/** Calls to be sealed, in a packer's memory. */
export interface SealRequest extends GroupIn {
  readonly type: 'seal'
  readonly length: number
  readonly outOfLine: readonly OutOfLine[]
}

/** Messages to be verified. */
export interface VerifyRequest extends GroupIn {
  readonly type: 'verify'
}

/** What is answered with results. */
export type JobRequest = SealRequest | VerifyRequest

/** To a worker. */
export type WorkerRequest =
  | { readonly type: 'core'; readonly module: WebAssembly.Module }
  | { readonly type: 'open'; readonly context: number; readonly setup: Setup }
  | { readonly type: 'free'; readonly context: number }
  | { readonly type: 'close' }
  | JobRequest

/** From a worker. */
export type WorkerReply =
  | { readonly type: 'ready' }
  | { readonly type: 'results'; readonly job: number; readonly results: Results }
  | { readonly type: 'closed' }

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
