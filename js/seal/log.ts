import type { Logger } from '../base/logger.js'
import { VERSION } from '../base/version.js'
import type { LeasedLog } from '../keys/leased-key.js'

/** Hears what a signer signs: its log. In the order in which the core hashes it, if that does. */
export interface SigningLog extends LeasedLog {
  /** A message is signed, which has so many bundles. */
  signed(message: Uint8Array, bundles: number): void
  /** The next message will be signed elsewhere. Returns what hears of it; or of nothing, if it was not signed. */
  drafted(bundles: number): (message: Uint8Array | undefined) => void
}

/** Who signs bundles, as far as checkpoints of its log need to know. */
export interface LogSigner {
  /** Key id. */
  readonly signer: string
  /** The 32 bytes of its public key, if it is one of Ed25519. */
  readonly ed25519: Uint8Array | undefined
  /** The lease that it signs by. Without one, nobody would believe it. Default: it needs none. */
  readonly lease?: { readonly isHeld: boolean } | undefined
  /** Signs the text of a checkpoint. */
  sign(text: Uint8Array): Uint8Array | Promise<Uint8Array>
  /**
   * The root of the log, 32 bytes, and so many bytes of the leaf hash of each message since this was last asked. Nobody has them where
   * workers sign: then the log hears of messages in its own order.
   */
  readonly takeLeaves?: ((bytes: number) => Uint8Array) | undefined
}

/** What a stream may answer that has yet to deliver a message. */
interface Undelivered {
  readonly delivered: PromiseLike<void>
}

/** What a run has of its SDK: its logger, and what ends the wait for a connection, and for an answer. */
export interface RunContext {
  readonly logger: Logger
  readonly signal?: AbortSignal | undefined
  readonly connectTimeoutMs?: number | undefined
  readonly streamTimeoutMs?: number | undefined
}

/** The log of one signing key, while an SDK has it in use. */
export interface SigningRun extends SigningLog {
  /** Begins, when the signer is open and the streams are connected. */
  begin(signer: LogSigner, context: RunContext): Promise<void>
  /** The stream has accepted a message, with this answer. */
  accepted(message: Uint8Array, answer: Undelivered | undefined): void
  /** Signs the last checkpoint. Resolves when it is published, or could not be. */
  end(): Promise<void>
}

/** Runs of an SDK, one for each of its signing keys, over one stream. */
export interface SigningRuns {
  /** Connects the stream, before the first run begins. */
  connect(context: RunContext): Promise<void>
  /** Makes the run of the next signing key. */
  next(): SigningRun
  /** Closes the stream, after the last run has ended. */
  close(): Promise<void>
}

/** @internal Opens the runs of an SDK. Versioned: only the same version may use them. */
export const RUNS: unique symbol = Symbol.for(`alvarium-sdk.Runs ${VERSION}`)

/** What keeps logs of what an SDK signs: `checkpoints()` of `alvarium-sdk/completeness`. */
export interface Checkpoints {
  /** Messages until the next checkpoint. */
  readonly every: number
  /** @internal */
  [RUNS](): SigningRuns
}
