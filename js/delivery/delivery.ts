import type { AlvariumError } from '../base/errors.js'
import type { Call } from '../model/call.js'
import type { Place } from './places.js'
import type { Receipt, Sent } from './receipt.js'

/** The way from an answered call to the stream. */
export interface Delivery {
  /**
   * Seals the call and hands its message over; resolves when the stream has accepted it.
   *
   * @param place - hears when the call is sealed, and when the stream has it
   */
  deliver(call: Call, signal: AbortSignal | undefined, place: Place): Promise<Receipt>
  /** Resolves when the message of every call so far has been handed over. */
  handedOver(): Promise<void>
  /** Nothing more is sealed: what comes, and what waits to be, rejects with this error. */
  end(error: AlvariumError): void
}

/**
 * Encodes a message and hands it to the stream, at once; resolves when the stream has accepted it. Rejects with an
 * `AlvariumError`.
 *
 * @param sealedMs - how long it took to seal the message
 */
export type Publish = (sealed: Sealed, sealedMs: number, signal: AbortSignal | undefined) => Promise<Sent>

/** What is handed over: a message as JSON, of a batch the ids of its bundles, and the tag that a single call was given. */
export type Sealed = Pick<Sent, 'json' | 'ids'> & { readonly tag?: Uint8Array | undefined }
