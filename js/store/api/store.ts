/// <reference lib="esnext.disposable" preserve="true" />

import type { StoreIntake } from './intake.js'
import type { StoreProofs } from './proofs.js'
import type { StoreQuestions } from './questions.js'
import type { StoreRemoval } from './removal.js'

/**
 * A store of verified bundles and their messages, opened by {@link openStore}. Calls share one connection and
 * run one after the other. During a long {@link StoreIntake.ingest}, open a second store for questions.
 *
 * @example
 * ```ts
 * const { answers, signers } = await store.about(payload)
 * console.log(answers, signers)
 * ```
 */
export interface Store extends StoreIntake, StoreQuestions, StoreProofs, StoreRemoval {
  /**
   * Waits for calls in progress, unless the server stops answering, and signs the last checkpoint of the log. A
   * connection that the caller passed stays open. Later calls are rejected with `STREAM_CLOSED`.
   */
  close(): Promise<void>

  /** Closes the store, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}
