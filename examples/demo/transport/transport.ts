/**
 * Transports messages from the maker to the verifier. `broker.ts` (MQTT over WebSocket) and `in-page.ts`
 * (without a server) implement the same two functions. Workers import `#transport`, which `vite.config.js`
 * maps to one of them, so that the serverless build does not contain mqtt.js.
 */
import type { Keyring, VerifiedBundle } from 'alvarium-sdk'
import type { Connection, Place } from '../protocol.ts'

/** Maximum number of waiting messages. Further ones are refused with `QUEUE_FULL` (`worker/shelf.ts`). */
export const MOST_WAITING = 1000

export const MOST_WAITING_BYTES = 8 * 1024 * 1024

/** Milliseconds after which an unacknowledged message is sent again. */
export const LONGEST_WAIT_MS = 120_000

/** Sender of the maker's messages, with the `publish` of a `StreamProvider`. Reconnects by itself. */
export interface Sender {
  /**
   * Publishes a message. Resolves when the broker or, in the serverless build, the verifier has it. Call
   * `publish` only after the state `online`.
   */
  publish(message: Uint8Array): Promise<void>
}

/**
 * Makes a {@link Sender} that reports the state of its connection.
 *
 * @throws AlvariumError `CONFIG_INVALID` for an invalid URL
 */
export type OpenSender = (place: Place, onConnection: (connection: Connection) => void) => Sender

/** Handlers of the receiver's events. */
export interface Heard {
  connection(connection: Connection): void
  verified(bundle: VerifiedBundle, message: Uint8Array): void
  rejected(error: Error, message: Uint8Array): void
}

/** Receives and verifies messages until the page is closed. Reconnects by itself. Never throws. */
export type OpenReceiver = (place: Place, keyring: Keyring, heard: Heard) => void
