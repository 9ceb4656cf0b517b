import * as v from 'valibot'
import { integer, MAX_TIMEOUT_MS, strict } from '../../../foundation/base/options/schema.js'
import { topicFilters } from '../../../transport/streams/mqtt/options.js'

/** Options of `completeness`: topics, times and bounds. */
export interface WatchOptions {
  /** Topic filters of the checkpoints. Default: the topic `/signers` below each of the subscription's. */
  readonly topic?: string | readonly string[] | undefined
  /** Milliseconds after a checkpoint until its listed messages should have arrived. Default 10,000. */
  readonly graceMs?: number | undefined
  /**
   * Milliseconds until a received checkpoint should list a message. Signers that need more are `silent`. Must be more
   * than their `everyMs`. Default 40,000.
   */
  readonly silentMs?: number | undefined
  /** Milliseconds by which the time of a message may differ from the times of the checkpoints around it. Default 60,000. */
  readonly toleranceMs?: number | undefined
  /**
   * True if only a part of a signer's messages arrives, because the topics of this subscription are narrower. Nothing
   * counts as missing then. Default `false`; a member of a group always has only a part.
   */
  readonly isPart?: boolean | undefined
  /**
   * Number of remembered messages of each signer, about 150 bytes each. The limit for all signers is 1,000,000, and
   * for a signer without a checkpoint 1,024. Repeats of older ones are `unknown`. Default 100,000.
   */
  readonly maxMessages?: number | undefined
  /**
   * Callback for each checkpoint that verifies, before it is acknowledged. Store it next to the messages: an audit
   * later finds missing ones. A returned promise is awaited for at most 10 s; an exception ends the loop. Repeats of
   * QoS 1 are redelivered.
   */
  readonly onCheckpoint?: ((checkpoint: Uint8Array) => unknown) | undefined
}

/** Schema of the options. The page of limits is generated from it. */
export const schema = strict({
  topic: v.optional(topicFilters),
  graceMs: integer(0, MAX_TIMEOUT_MS, 10_000),
  silentMs: integer(1, MAX_TIMEOUT_MS, 40_000),
  toleranceMs: integer(0, 86_400_000, 60_000),
  isPart: v.optional(v.boolean('true or false'), false),
  maxMessages: integer(1, 10_000_000, 100_000),
  onCheckpoint: v.optional(
    v.custom<NonNullable<WatchOptions['onCheckpoint']>>((value) => typeof value === 'function', 'a function'),
  ),
})

/** Options with every default filled in. */
export type WatchSettings = v.InferOutput<typeof schema>
