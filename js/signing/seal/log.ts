import type { Logger } from '../../foundation/base/logger.js'
import { VERSION } from '../../foundation/base/version.js'
import type { LeasedLog } from '../keys/leased-key.js'

/** Log of a signer's messages. Receives them in the order in which the core hashes them, if the core does. */
export interface SigningLog extends LeasedLog {
  /** Adds a signed message with its number of bundles. */
  signed(message: Uint8Array, bundles: number): void
  /**
   * Adds a message that will be signed elsewhere. Returns a callback for the signed message, or for undefined if it was
   * not signed.
   */
  drafted(bundles: number): (message: Uint8Array | undefined) => void
}

/** Signer of bundles, with the members that checkpoints of its log need. */
export interface LogSigner {
  /** Key id of the signer. */
  readonly signer: string
  /** Public key of an Ed25519 signer, 32 bytes. */
  readonly ed25519: Uint8Array | undefined
  /** Lease of the signer, without which verifiers refuse its checkpoints. Default: it needs no lease. */
  readonly lease?: { readonly isValid: boolean } | undefined
  /** Signs the text of a checkpoint. */
  sign(text: Uint8Array): Uint8Array | Promise<Uint8Array>
  /**
   * Returns the root of the log, 32 bytes, and a prefix of the leaf hash of each message since the last call. Undefined
   * if workers sign: the log then has its own order of messages.
   */
  readonly takeLeaves?: ((bytes: number) => Uint8Array) | undefined
}

/** Answer of a stream that has not delivered a message yet. */
interface PendingDelivery {
  readonly delivered: PromiseLike<void>
}

/** Context of a run from its SDK: its logger, and the limits of waits for a connection and for an answer. */
export interface RunContext {
  readonly logger: Logger
  readonly signal?: AbortSignal | undefined
  readonly connectTimeoutMs?: number | undefined
  readonly streamTimeoutMs?: number | undefined
}

/** Log of one signing key, while an SDK uses it. */
export interface SigningRun extends SigningLog {
  /** Begins the run, after the signer is open and the streams are connected. */
  begin(signer: LogSigner, context: RunContext): Promise<void>
  /** Notes that the stream has accepted a message with an answer. */
  accepted(message: Uint8Array, answer: PendingDelivery | undefined): void
  /** Signs the last checkpoint, and waits until it is published or has failed. */
  end(): Promise<void>
}

/** Runs of an SDK, one for each of its signing keys, with one stream. */
export interface SigningRuns {
  /** Connects the stream, before the first run begins. */
  connect(context: RunContext): Promise<void>
  /** Returns a new run for the next signing key. */
  next(): SigningRun
  /** Closes the stream, after the last run has ended. */
  close(): Promise<void>
}

/** @internal Key of the function that opens the runs of an SDK. Versioned: only the same version may use them. */
export const OPEN_RUNS: unique symbol = Symbol.for(`alvarium-sdk.Runs ${VERSION}`)

/** Logs of an SDK's messages: `checkpoints()` of `alvarium-sdk/completeness`. */
export interface Checkpoints {
  /** Number of messages until the next checkpoint. */
  readonly every: number
  /** @internal */
  [OPEN_RUNS](): SigningRuns
}
