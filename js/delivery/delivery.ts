import type { Receipt } from '../receipt.js'
import type { Call } from '../sealer.js'

/** The way from an answered call to the stream. */
export interface Delivery {
  /** Seals the call and hands its message over; resolves when the stream has accepted it. */
  deliver(call: Call, signal: AbortSignal | undefined): Promise<Receipt>
  /** Resolves when the message of every call so far has been handed over. */
  handedOver(): Promise<void>
}

/** Hands one message to the stream. Rejects with an `AlvariumError`. */
export type Publish = (message: Uint8Array, signal: AbortSignal | undefined) => Promise<void>
