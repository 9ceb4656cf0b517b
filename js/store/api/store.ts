/// <reference lib="esnext.disposable" preserve="true" />

import type { StoreIntake } from './intake.js'
import type { StoreProofs } from './proofs.js'
import type { StoreQuestions } from './questions.js'
import type { StoreRemoval } from './removal.js'

/**
 * Verified bundles, the messages that they came in, and what can be asked of them: what {@link openStore} has opened. One call after the
 * other has the connection; open a second store beside a long {@link StoreIntake.ingest}, and ask that one.
 *
 * @example
 * ```ts
 * const { answers, signers } = await store.about(payload)
 * console.log(answers, signers)
 * ```
 */
export interface Store extends StoreIntake, StoreQuestions, StoreProofs, StoreRemoval {
  /**
   * Waits for what is running, as long as a server answers, and signs the last checkpoint of the log. A connection that was given stays open. Later calls are `STREAM_CLOSED`.
   */
  close(): Promise<void>

  /** Closes it, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}
