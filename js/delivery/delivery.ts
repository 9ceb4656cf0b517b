import type { AlvariumError } from '../base/errors.js'
import type { Call, CallInputs } from '../model/call.js'
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
  /** Resolves when the message of every call so far has been sealed and given to be encoded. */
  allSealed(): Promise<void>
  /** Nothing more is sealed: what comes, and what waits to be, rejects with this error. */
  end(error: AlvariumError): void
}

/**
 * Encodes a message and hands it to the stream: at once, unless its codec answers later, or still has one that came before.
 * Resolves when the stream has accepted it. Throws, or rejects with, an `AlvariumError`.
 */
export type Publish = (sealed: Sealed) => Promise<Sent>

/** What is handed over: a message as JSON, of a batch with the ids of its bundles. */
export interface Sealed extends Pick<Sent, 'ids'> {
  /** As it was sealed: without the lists of inputs. */
  readonly json: Uint8Array
  /** Of the bundles in it that have some, in their order. */
  readonly inputs: readonly CallInputs[]
  /** What a single call was given. */
  readonly tag?: Uint8Array | undefined
  /** How long it took to seal. */
  readonly sealedMs: number
  /** A single call's own. */
  readonly signal?: AbortSignal | undefined
  /** Hears when the stream has the message. */
  readonly permit: Pick<Permit, 'over'>
}
