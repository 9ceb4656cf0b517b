import type { Action } from './bundle.js'
import type { HashInput } from './payload.js'
import type { TraceContext } from './trace-context.js'

/** One call of an SDK after its annotators have answered: the values that differ from call to call. */
export interface Call {
  readonly action: Action
  readonly payload: HashInput
  /** The previous payload; for a payload made from many inputs, their number and Merkle root, which are signed. */
  readonly previous: HashInput | undefined
  /** The inputs from which the payload was made, if there are many. */
  readonly inputs?: CallInputs | undefined
  /** Bit n is set if annotator n was asked. */
  readonly annotatorBits: number
  /** Bit n is set if annotator n is satisfied. */
  readonly answers: number
  /** True if the caller's buffers may be transferred. */
  readonly transfer?: boolean
  /** The tag of the annotations in UTF-8, instead of the SDK's tag. */
  readonly tag?: Uint8Array | undefined
  readonly traceContext?: TraceContext | undefined
}

/** The inputs of a call. The list is inserted into the message after the core has signed its Merkle root. */
export interface CallInputs {
  /** The inputs in the message's JSON, in pieces: the items of an array, with commas between them. */
  readonly list: readonly Uint8Array[]
  /** Total size of the pieces of `list`, in bytes. */
  readonly bytes: number
}

/** Returns the number of bytes that a call passes to the core. */
export function bytesOf({ payload, previous, tag }: Pick<Call, 'payload' | 'previous' | 'tag'>): number {
  return payload.bytes.length + (previous?.bytes.length ?? 0) + (tag?.length ?? 0)
}
