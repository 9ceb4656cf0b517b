import type { AlvariumError } from '../../foundation/base/errors.js'
import type { Call, CallInputs } from '../../foundation/model/call.js'
import type { TraceContext } from '../../foundation/model/trace-context.js'
import type { SigningRun } from '../../signing/seal/log.js'
import type { Slot } from './backpressure.js'
import type { Receipt, Sent } from './receipt.js'

export interface Delivery {
  /**
   * Signs a call and publishes its message. Resolves when the stream has accepted the message.
   *
   * @param slot - slot of the call, updated when the sealer has the call and when the stream has the message
   */
  deliver(call: Call, signal: AbortSignal | undefined, slot: Slot): Promise<Receipt>
  /** Waits until the messages of all calls so far are signed and passed to the codec. */
  allSealed(): Promise<void>
  /** Ends signing: new calls, and calls in an open batch, reject with `error`. */
  end(error: AlvariumError): void
}

/**
 * Encodes a message and passes it to the stream. Waits first if the codec is asynchronous or busy. Resolves
 * when the stream has accepted the message. Throws, or rejects with, an `AlvariumError`.
 */
export type Publish = (sealed: SealedMessage) => Promise<Sent>

/** Listener that is called with the JSON of each message when the stream accepts or refuses the message. */
export type OutcomeListener = Pick<SigningRun, 'accepted' | 'refused'>

/** A signed message as JSON, with the ids of its bundles if it is a batch. */
export interface SealedMessage extends Pick<Sent, 'ids'> {
  /** Signed JSON, without the lists of inputs. */
  readonly json: Uint8Array
  /** Inputs of the bundles in the message, in the order of the bundles. Most bundles have none. */
  readonly inputs: readonly CallInputs[]
  readonly tag?: Uint8Array | undefined
  readonly traceContext?: TraceContext | undefined
  readonly sealedMs: number
  readonly signal?: AbortSignal | undefined
  readonly outcomes?: OutcomeListener | undefined
  /** Slot that is released when the stream has the message. */
  readonly slot: Pick<Slot, 'release'>
}
