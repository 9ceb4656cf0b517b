import type { Logger } from '../../foundation/base/logger.js'
import { VERSION } from '../../foundation/base/version.js'
import type { LeasedLog } from '../keys/leased-key.js'

/** Log of a signer's messages. If the core signs, messages must be added in the order in which the core signed them. */
export interface SigningLog extends LeasedLog {
  signed(message: Uint8Array, bundles: number): void
  /** Adds a message before it is signed. Call the result with the signed message, or with undefined after a failure. */
  drafted(bundles: number): (message: Uint8Array | undefined) => void
}

export interface LogSigner {
  readonly signer: string
  /** Public key if the signer's algorithm is Ed25519: 32 bytes. */
  readonly ed25519: Uint8Array | undefined
  /** Lease of the signer, without which verifiers refuse its checkpoints. Undefined if the signer needs no lease. */
  readonly lease?: { readonly isValid: boolean } | undefined
  sign(text: Uint8Array): Uint8Array | Promise<Uint8Array>
  /**
   * Returns the root of the log, 32 bytes, and the first `bytes` bytes of each leaf hash added since the last
   * call. Undefined if workers sign. The log then hashes the messages itself, because only the log defines
   * their order.
   */
  readonly takeLeaves?: ((bytes: number) => Uint8Array) | undefined
}

export interface RunContext {
  readonly logger: Logger
  readonly signal?: AbortSignal | undefined
  readonly connectTimeoutMs?: number | undefined
  readonly streamTimeoutMs?: number | undefined
}

/** Log of the messages that one private key signs while an SDK uses the key. */
export interface SigningRun extends SigningLog {
  /** Begins the log, after the signer has been opened and the streams have been connected. */
  begin(signer: LogSigner, context: RunContext): Promise<void>
  /** Records that the stream has accepted a message. `answer` is present if the message is not yet delivered. */
  accepted(message: Uint8Array, answer: { readonly delivered: PromiseLike<void> } | undefined): void
  /** Signs the last checkpoint, and resolves when it has been published or has failed. */
  end(): Promise<void>
}

/** All logs of an SDK, one for each of its private keys. They share one stream. */
export interface SigningRuns {
  connect(context: RunContext): Promise<void>
  next(): SigningRun
  close(): Promise<void>
}

/** @internal Symbol with the version, because only a copy of the package with the same version may create the logs. */
export const OPEN_RUNS: unique symbol = Symbol.for(`alvarium-sdk.Runs ${VERSION}`)

/** Option of an SDK to publish checkpoints of its logs: `checkpoints()` of `alvarium-sdk/completeness`. */
export interface Checkpoints {
  /** Number of messages after which a checkpoint is published. */
  readonly every: number
  /** @internal */
  [OPEN_RUNS](): SigningRuns
}
