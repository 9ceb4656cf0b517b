import { messagesOf } from '../../foundation/base/bytes/join.js'
import { type AlvariumError, isBytes } from '../../foundation/base/errors.js'
import type { IdentifiedBundle } from '../../foundation/model/bundle.js'
import type { KeyringKeys, SealerSetup } from '../../foundation/model/worker-pool.js'
import { answersIn, type Failure, outcomeOf } from '../../verifying/verify/many.js'

/** Common settings of calls, which a worker keeps between them. */
export type Setup = SealerSetup | VerifierSetup

/** Settings of a worker that verifies by one keyring. */
export interface VerifierSetup extends KeyringKeys {
  /** Module for EC keys, if there are any. */
  readonly algorithms?: object | undefined
}

/** A payload that is not copied into its job. */
export interface OutOfLine {
  readonly payload: Uint8Array
  /** True if the payload was transferred: it cannot be sent twice. */
  readonly isHandedOver: boolean
  /** Original length: a payload that was transferred to a dead worker has length 0. */
  readonly length: number
  /** Offset of its digest in the job's bytes. */
  readonly at: number
}

/** Items of a job, in memory that is unchanged until they are answered, or in a copy. */
interface GroupIn {
  readonly job: number
  readonly context: number
  readonly memory: ArrayBufferLike
  readonly size: number
}

/** Calls to be sealed, in a packer's memory. */
export interface SealRequest extends GroupIn {
  readonly type: 'seal'
  readonly length: number
  readonly outOfLine: readonly OutOfLine[]
}

export interface VerifyRequest extends GroupIn {
  readonly type: 'verify'
}

/** Requests that are answered with results. */
export type JobRequest = SealRequest | VerifyRequest

export type WorkerRequest =
  | { readonly type: 'core'; readonly module: WebAssembly.Module }
  | { readonly type: 'open'; readonly context: number; readonly setup: Setup }
  | { readonly type: 'free'; readonly context: number }
  | { readonly type: 'close' }
  | JobRequest

export type WorkerReply =
  | { readonly type: 'ready' }
  | { readonly type: 'results'; readonly job: number; readonly results: Results }
  | { readonly type: 'closed' }

/**
 * Results of a job from a worker. For sealed calls, the joined messages of the core; if one call failed, the message
 * or the failure of each. For verified messages, the verified bundles or the failure of each, as JSON.
 */
export type Results = Uint8Array<ArrayBuffer> | string | readonly (Uint8Array | Failure)[]

/** Result of a call: its message, or the verified bundles of one. */
export type Result = Uint8Array | IdentifiedBundle[]

export function outcomesOf(results: Results): readonly (Result | AlvariumError)[] {
  if (isBytes(results)) return messagesOf(results)
  if (typeof results === 'string') return answersIn(results).map(outcomeOf)
  return results.map(outcomeOf)
}
