import { VERSION } from '../../foundation/base/version.js'

/** The symbol contains the version: another copy of the package may use the internals only if it has the same version. */
export const OPEN_LEASED: unique symbol = Symbol.for(`alvarium-sdk.LeasedKey ${VERSION}`)

/** Key that signs by leases of a long-lived key: `leased` of `alvarium-sdk/trust` makes it, for the `signingKey` of `openSdk`. */
export interface LeasedKey {
  /** Duration of each lease in milliseconds. */
  readonly ttlMs: number
  /** @internal Makes a key, gets its first lease signed, and opens a sealer that works as long as the key has a lease. */
  readonly [OPEN_LEASED]: <Opened extends Sealing>(
    open: SealerOpener<Opened>,
    context: LeaseContext,
  ) => Promise<Opened>
}

/** @internal Parts of an SDK that leases need: the log of its run, and the limits of the wait for a connection. */
export interface LeaseContext {
  readonly log?: LeasedLog | undefined
  readonly signal?: AbortSignal | undefined
  readonly connectTimeoutMs?: number | undefined
}

/** Log of the messages that are signed by leases. */
export interface LeasedLog {
  /** Removes a message that the stream has not accepted, or that was never handed to it. */
  refused(message: Uint8Array): void
  /**
   * Returns the state of all that has been signed so far, after signing a checkpoint of it; undefined if nothing has
   * been signed.
   */
  state(): LogState | undefined
}

/** State of a signer's log: all that it has signed in one run. */
export interface LogState {
  /** Run: one private key of an open SDK. 32 lower-case hexadecimal digits. */
  readonly run: string
  /** Number of messages, at least one. */
  readonly size: number
  /** Merkle root of the messages, as in RFC 9162 §2.1.1: 64 lower-case hexadecimal digits. */
  readonly root: string
}

/** @internal Function that opens a sealer with our own copy of a key, to be wiped. */
export type SealerOpener<Opened extends Sealing> = (signingKey: Uint8Array) => Promise<Opened>

interface SealedMessage {
  readonly message: Uint8Array
}

/** @internal Sealer, with the members that leases use. */
export interface Sealing {
  seal(call: never): unknown
  add(call: never): number
  sealBatch(): SealedMessage | Promise<SealedMessage>
  readonly logSigner?: object | undefined
  free(): void
  end?(): Promise<void>
}
