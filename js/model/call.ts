import type { Action } from './bundle.js'
import type { HashInput } from './payload.js'

/** One call of an SDK whose annotators have answered: what differs from call to call. */
export interface Call {
  readonly action: Action
  readonly payload: HashInput
  /** What it was made from; where that is many, what a signature covers of `inputs`. */
  readonly previous: HashInput | undefined
  /** Where it was made from many. */
  readonly inputs?: CallInputs | undefined
  /** Bit n: annotator n was asked. */
  readonly asked: number
  /** Bit n: annotator n is satisfied. */
  readonly answers: number
  /** Whether the payloads may be taken away from the caller. */
  readonly transfer?: boolean
  /** What its annotations can be found by, in UTF-8, instead of the SDK's tag. */
  readonly tag?: Uint8Array | undefined
}

/** The inputs of a call: what is signed of them crosses into the core, their list goes into the message that comes out. */
export interface CallInputs {
  /** As they stand in the message, in pieces: the items of an array, and the commas between them. */
  readonly list: readonly Uint8Array[]
  /** How many bytes the list has. */
  readonly bytes: number
}

/** How many bytes a call has that cross with it. */
export function bytesOf({ payload, previous, tag }: Pick<Call, 'payload' | 'previous' | 'tag'>): number {
  return payload.bytes.length + (previous?.bytes.length ?? 0) + (tag?.length ?? 0)
}
