/**
 * Transports messages from the maker to the verifier. There are two implementations with the same two functions, one
 * per build: `broker.ts` (MQTT over WebSocket) and `in-page.ts` (without a server). The workers import `#transport`,
 * which `vite.config.js` maps to one of them, so that the serverless build does not contain mqtt.js.
 */
import type { Keyring, VerifiedBundle } from 'alvarium-sdk'
import type { Connection, Place } from '../protocol.ts'

/**
 * Maximum number of messages that may wait for the other side; further ones are refused with `QUEUE_FULL`, see
 * `worker/shelf.ts`.
 */
export const MOST_WAITING = 1000

/** Maximum total size of these messages in bytes. */
export const MOST_WAITING_BYTES = 8 * 1024 * 1024

/** Milliseconds after which an unacknowledged message is sent again. */
export const LONGEST_WAIT_MS = 120_000

/** Sender of the maker's messages: the `publish` of a `StreamProvider`. It connects on its own and retries. */
export interface Sender {
  /**
   * Publishes a message; resolves when the other side has it. Not called before it was online once. Rejects with an
   * `AlvariumError`.
   */
  publish(message: Uint8Array): Promise<void>
}

/** Makes a {@link Sender} that reports the state of its connection. @throws AlvariumError `CONFIG_INVALID` for an invalid address */
export type OpenSender = (place: Place, onConnection: (connection: Connection) => void) => Sender

/** Handlers of the receiver's events. */
export interface Heard {
  connection(connection: Connection): void
  verified(bundle: VerifiedBundle, message: Uint8Array): void
  rejected(error: Error, message: Uint8Array): void
}

/** Receives and verifies until the page is closed; connects on its own and retries. Never throws. */
export type OpenReceiver = (place: Place, keyring: Keyring, heard: Heard) => void
