/**
 * How messages get from the maker to the verifier. Two implementations with the same two functions, one per build:
 * `broker.ts` (MQTT over WebSocket) and `in-page.ts` (no server at all). The workers import `#transport`, which
 * `vite.config.js` points at one of them, so that mqtt.js is not in the serverless build.
 */
import type { Keyring, VerifiedBundle } from 'alvarium-sdk'
import type { Connection, Place } from '../protocol.ts'

/** Most messages that may wait for the other side; one more is refused with `QUEUE_FULL`, see `worker/shelf.ts`. */
export const MOST_WAITING = 1000

/** Most bytes that these messages may have. */
export const MOST_WAITING_BYTES = 8 * 1024 * 1024

/** Milliseconds after which a message that nobody has answered is sent again. */
export const LONGEST_WAIT_MS = 120_000

/** Where the maker's messages go: the `publish` of a `StreamProvider`. It connects by itself and keeps trying. */
export interface Sender {
  /** Resolves when the other side has the message. Not called before it was online once. Rejects with an `AlvariumError`. */
  publish(message: Uint8Array): Promise<void>
}

/** Makes a {@link Sender} that says what becomes of its connection. @throws AlvariumError `CONFIG_INVALID` for an address that is none */
export type OpenSender = (place: Place, onConnection: (connection: Connection) => void) => Sender

/** What the receiver tells. */
export interface Heard {
  connection(connection: Connection): void
  verified(bundle: VerifiedBundle, message: Uint8Array): void
  rejected(error: Error, message: Uint8Array): void
}

/** Receives and verifies until the page is closed; connects by itself and keeps trying. Never throws. */
export type OpenReceiver = (place: Place, keyring: Keyring, heard: Heard) => void
