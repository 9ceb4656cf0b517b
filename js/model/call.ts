import type { Action } from './bundle.js'
import type { HashInput } from './payload.js'

/** One call of an SDK whose annotators have answered: what differs from call to call. */
export interface Call {
  readonly action: Action
  readonly payload: HashInput
  readonly previous: HashInput | undefined
  /** Bit n: annotator n was asked. */
  readonly asked: number
  /** Bit n: annotator n is satisfied. */
  readonly answers: number
  /** Whether the payloads may be taken away from the caller. */
  readonly transfer?: boolean
}

/** How many bytes of payload a call has. */
export function bytesOf({ payload, previous }: Pick<Call, 'payload' | 'previous'>): number {
  return payload.bytes.length + (previous?.bytes.length ?? 0)
}
