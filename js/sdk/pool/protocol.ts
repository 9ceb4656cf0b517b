import { messagesOf } from '../../foundation/base/bytes/join.js'
import { type AlvariumError, isBytes } from '../../foundation/base/errors.js'
import type { IdentifiedBundle } from '../../foundation/model/bundle.js'
import type { KeyringKeys, SealerSetup } from '../../foundation/model/worker-pool.js'
import { answersIn, type Failure, outcomeOf } from '../../verifying/verify/many.js'

export type Setup = SealerSetup | VerifierSetup

export interface VerifierSetup extends KeyringKeys {
  /** WebAssembly module of the algorithms; undefined without EC keys, or with the engine `host`. */
  readonly algorithms?: object | undefined
}

export interface OutOfLine {
  readonly payload: Uint8Array
  /** True if the payload was transferred, so that it cannot be sent again. */
  readonly isHandedOver: boolean
  /** Original length in bytes: a payload that was transferred to a dead worker has length 0. */
  readonly length: number
  /** Offset of the payload's digest in the packed bytes, which follow the numbers in the job's memory. */
  readonly at: number
}

/** Items of a job: in the job's memory, which does not change until the worker has answered, or in a copy of it. */
interface GroupIn {
  readonly job: number
  readonly context: number
  readonly memory: ArrayBufferLike
  readonly size: number
}

export interface SealRequest extends GroupIn {
  readonly type: 'seal'
  readonly length: number
  readonly outOfLine: readonly OutOfLine[]
}

export interface VerifyRequest extends GroupIn {
  readonly type: 'verify'
}

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
 * Results of a job. For signed calls: the joined messages of the core, or, if one call failed, the message or
 * failure of each call. For verified messages: the verified bundles or the failure of each message, as JSON.
 */
export type Results = Uint8Array<ArrayBuffer> | string | readonly (Uint8Array | Failure)[]

/** Result of a call: a signed message, or the verified bundles of a message. */
export type Result = Uint8Array | IdentifiedBundle[]

export function outcomesOf(results: Results): readonly (Result | AlvariumError)[] {
  if (isBytes(results)) return messagesOf(results)
  if (typeof results === 'string') return answersIn(results).map(outcomeOf)
  return results.map(outcomeOf)
}
