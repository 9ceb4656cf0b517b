import { VERSION } from '../../foundation/base/version.js'

/**
 * Symbol with the version, because only a copy of the package with the same version may use a leased key's internals.
 */
export const OPEN_LEASED: unique symbol = Symbol.for(`alvarium-sdk.LeasedKey ${VERSION}`)

/**
 * A generated key that leases permit to sign, for the option `signingKey` of `openSdk`. `leased` of
 * `alvarium-sdk/trust` creates it.
 */
export interface LeasedKey {
  /** Duration of each lease in milliseconds. */
  readonly ttlMs: number
  /** @internal Generates a key, requests its first lease, and opens a signer of bundles that renews the lease. */
  readonly [OPEN_LEASED]: <Opened extends Sealing>(
    open: SealerOpener<Opened>,
    context: LeaseContext,
  ) => Promise<Opened>
}

/**
 * @internal Log in which an SDK records the messages of a leased key, and limits for connecting the stream of
 * leases.
 */
export interface LeaseContext {
  readonly log?: LeasedLog | undefined
  readonly signal?: AbortSignal | undefined
  readonly connectTimeoutMs?: number | undefined
}

export interface LeasedLog {
  /** Removes from the log a message that the stream rejected, or never received. */
  refused(message: Uint8Array): void
  /**
   * Signs a checkpoint if the log has grown, and returns the log's state. Returns undefined before the first
   * message.
   */
  state(): LogState | undefined
}

/** State of a signer's log: the messages that one private key has signed while an SDK used the key. */
export interface LogState {
  /** Id of the log, a new one whenever an SDK begins to use a private key: 32 lower-case hexadecimal digits. */
  readonly run: string
  /** Number of messages, at least one. */
  readonly size: number
  /** Merkle root of the log's messages, as in RFC 9162 §2.1.1: 64 lower-case hexadecimal digits. */
  readonly root: string
}

/** @internal Function that opens a `Sealer`, which signs bundles, with a private key. */
export type SealerOpener<Opened extends Sealing> = (signingKey: Uint8Array) => Promise<Opened>

/** @internal Members of `Sealer` that a leased key calls. A `Sealer` signs bundles. */
export interface Sealing {
  seal(call: never): unknown
  add(call: never): number
  sealBatch(): { message: Uint8Array } | Promise<{ message: Uint8Array }>
  readonly logSigner?: object | undefined
  free(): void
  end?(): Promise<void>
}
