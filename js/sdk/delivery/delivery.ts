import type { AlvariumError } from '../../foundation/base/errors.js'
import type { Call, CallInputs } from '../../foundation/model/call.js'
import type { TraceContext } from '../../foundation/model/trace-context.js'
import type { SigningRun } from '../../signing/seal/log.js'
import type { Slot } from './backpressure.js'
import type { Receipt, Sent } from './receipt.js'

/** Path from an answered call to the stream. */
export interface Delivery {
  /**
   * Seals a call and hands its message over. Resolves when the stream has accepted it.
   *
   * @param slot - updated when the call is sealed, and when the stream has it
   */
  deliver(call: Call, signal: AbortSignal | undefined, slot: Slot): Promise<Receipt>
  /** Waits until the messages of all calls so far are sealed and passed to the codec. */
  allSealed(): Promise<void>
  /** Ends sealing: new and waiting calls reject with this error. */
  end(error: AlvariumError): void
}

/**
 * Encodes a message and hands it to the stream, without a wait unless the codec is asynchronous or has an earlier
 * message. Resolves when the stream has accepted it. Throws, or rejects with, an `AlvariumError`.
 */
export type Publish = (sealed: SealedMessage) => Promise<Sent>

/** Listener to the outcome of each message, identified by its JSON. */
export type OutcomeListener = Pick<SigningRun, 'accepted' | 'refused'>

/** A sealed message as JSON, with the ids of its bundles if it is a batch. */
export interface SealedMessage extends Pick<Sent, 'ids'> {
  /** Sealed JSON, without the lists of inputs. */
  readonly json: Uint8Array
  /** Inputs of its bundles that have some, in order. */
  readonly inputs: readonly CallInputs[]
  /** Tag of a single call. */
  readonly tag?: Uint8Array | undefined
  /** Trace context to publish with the message. */
  readonly traceContext?: TraceContext | undefined
  /** Milliseconds for sealing. */
  readonly sealedMs: number
  /** Signal of a single call. */
  readonly signal?: AbortSignal | undefined
  /** Log of the key that signed the message, if there is one. */
  readonly outcomes?: OutcomeListener | undefined
  /** Permit, ended when the stream has the message. */
  readonly slot: Pick<Slot, 'release'>
}
