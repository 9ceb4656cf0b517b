import { VERSION } from '../base/version.js'

/** With the version, as what is internal to it is used by whoever is handed one. */
export const LEASED: unique symbol = Symbol.for(`alvarium-sdk.LeasedKey ${VERSION}`)

/** A key that signs by leases of a long-lived one: what `leased` of `alvarium-sdk/trust` makes, for the `signingKey` of `openSdk`. */
export interface LeasedKey {
  /** Milliseconds that each of its leases lasts. */
  readonly ttlMs: number
  /** @internal Makes a key, has its first lease signed, and opens what seals with it: as long as it has a lease. */
  readonly [LEASED]: <Opened extends Sealing>(
    open: OpenWith<Opened>,
    context: LeaseContext,
  ) => Promise<Opened>
}

/** @internal What leases have of their SDK: the log of its run, and what ends the wait for a connection. */
export interface LeaseContext {
  readonly log?: LeasedLog | undefined
  readonly signal?: AbortSignal | undefined
  readonly connectTimeoutMs?: number | undefined
}

/** The log of what is signed by leases. */
export interface LeasedLog {
  /** The stream has not accepted a message, or it was never handed to it. */
  refused(message: Uint8Array): void
  /** What has been signed so far, of which a checkpoint is signed first; nothing as long as that is nothing. */
  state(): LogState | undefined
}

/** How much a signer has signed, in one of its lives. */
export interface LogState {
  /** The run: one life of a signer. 32 lower-case hexadecimal digits. */
  readonly run: string
  /** Messages, at least one. */
  readonly size: number
  /** The root over them, as in RFC 9162 §2.1.1: 64 lower-case hexadecimal digits. */
  readonly root: string
}

/** @internal With a key of our own, to be wiped. */
export type OpenWith<Opened extends Sealing> = (signingKey: Uint8Array) => Promise<Opened>

interface SealedMessage {
  readonly message: Uint8Array
}

/** @internal What seals, as far as it matters here. */
export interface Sealing {
  seal(call: never): unknown
  add(call: never): number
  sealBatch(): SealedMessage | Promise<SealedMessage>
  readonly logSigner?: object | undefined
  free(): void
  end?(): Promise<void>
}
