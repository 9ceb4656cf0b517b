import { VERSION } from '../../foundation/base/version.js'

/**
 * Symbol with the version, because only a copy of the package with the same version may use a leased key's internals.
 */
export const OPEN_LEASED: unique symbol = Symbol.for(`alvarium-sdk.LeasedKey ${VERSION}`)

/** A key that signs by leases, for the `signingKey` of `openSdk`. Create it with `leased` of `alvarium-sdk/trust`. */
export interface LeasedKey {
  /** Duration of each lease in milliseconds. */
  readonly ttlMs: number
  /** @internal Generates a key, has its first lease signed, and opens a sealer that works while the key has a lease. */
  readonly [OPEN_LEASED]: <Opened extends Sealing>(
    open: SealerOpener<Opened>,
    context: LeaseContext,
  ) => Promise<Opened>
}

/** @internal Context of a leased key: the log of the SDK's run, and limits of the wait for a connection. */
export interface LeaseContext {
  readonly log?: LeasedLog | undefined
  readonly signal?: AbortSignal | undefined
  readonly connectTimeoutMs?: number | undefined
}

/** Log of the messages that a leased key signs. */
export interface LeasedLog {
  /** Removes a message that the stream rejected, or never received. */
  refused(message: Uint8Array): void
  /** Signs a checkpoint of all messages so far, and returns their state. Returns undefined before the first message. */
  state(): LogState | undefined
}

/** State of a signer's log: the messages that one run has signed. */
export interface LogState {
  /** Id of the run, in which an open SDK uses one private key: 32 lower-case hexadecimal digits. */
  readonly run: string
  /** Number of messages, at least one. */
  readonly size: number
  /** Merkle root of the messages, as in RFC 9162 §2.1.1: 64 lower-case hexadecimal digits. */
  readonly root: string
}

/** @internal A function that opens a sealer for a private key. */
export type SealerOpener<Opened extends Sealing> = (signingKey: Uint8Array) => Promise<Opened>

interface SealedMessage {
  readonly message: Uint8Array
}

/** @internal A sealer, with the members that leases need. */
export interface Sealing {
  seal(call: never): unknown
  add(call: never): number
  sealBatch(): SealedMessage | Promise<SealedMessage>
  readonly logSigner?: object | undefined
  free(): void
  end?(): Promise<void>
}
