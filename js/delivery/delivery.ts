import type { AlvariumError } from '../base/errors.js'
import type { Call, CallInputs } from '../model/call.js'
import type { TraceContext } from '../model/trace-context.js'
import type { SigningRun } from '../seal/log.js'
import type { Permit } from './admission.js'
import type { Receipt, Sent } from './receipt.js'

/** The way from an answered call to the stream. */
export interface Delivery {
  /**
   * Seals the call and hands its message over; resolves when the stream has accepted it.
   *
   * @param permit - hears when the call is sealed, and when the stream has it
   */
  deliver(call: Call, signal: AbortSignal | undefined, permit: Permit): Promise<Receipt>
  /** Resolves when the messages of all calls so far are sealed and on their way to the codec. */
  allSealed(): Promise<void>
  /** Nothing more is sealed: calls that come now, and those that wait for it, reject with this error. */
  end(error: AlvariumError): void
}

/**
 * Encodes a message and hands it to the stream: at once, unless the codec answers later, or still has an earlier message.
 * Resolves when the stream has accepted it. Throws, or rejects with, an `AlvariumError`.
 */
export type Publish = (sealed: Sealed) => Promise<Sent>

/** Hears the outcome of each message, by its JSON. */
export type OutcomeListener = Pick<SigningRun, 'accepted' | 'refused'>

/** What is handed over: a message as JSON; if it is a batch, with the ids of its bundles. */
export interface Sealed extends Pick<Sent, 'ids'> {
  /** As it was sealed: without the lists of inputs. */
  readonly json: Uint8Array
  /** Those of the bundles in it that have some, in order. */
  readonly inputs: readonly CallInputs[]
  /** What a single call was given. */
  readonly tag?: Uint8Array | undefined
  /** Goes with the message. */
  readonly traceContext?: TraceContext | undefined
  /** How long it took to seal. */
  readonly sealedMs: number
  /** A single call's own. */
  readonly signal?: AbortSignal | undefined
  /** The log of the key that signed it, if there is one. */
  readonly outcomes?: OutcomeListener | undefined
  /** Hears when the stream has the message. */
  readonly permit: Pick<Permit, 'over'>
}
