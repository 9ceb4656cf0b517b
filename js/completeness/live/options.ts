import * as v from 'valibot'
import { integer, LONGEST_TIMEOUT, strict } from '../../base/options/schema.js'
import { topicFilters } from '../../streams/mqtt/options.js'

/** What a subscription finds out, and when. */
export interface WatchOptions {
  /** Where checkpoints come: topic filters. Default: for each of the subscription's, the topic `/signers` below it. */
  readonly topic?: string | readonly string[] | undefined
  /** Milliseconds after a checkpoint until what it lists should have come. Default 10,000. */
  readonly graceMs?: number | undefined
  /**
   * Milliseconds until a message should be in a checkpoint that came; signers that need more are `silent`. More than their `everyMs`.
   * Default 40,000.
   */
  readonly silentMs?: number | undefined
  /** Milliseconds by which the time of a message may differ from those of the checkpoints around it. Default 60,000. */
  readonly toleranceMs?: number | undefined
  /**
   * Whether only a part of what signers sign comes to this subscription: its topics are narrower than theirs. Then nothing counts as missing.
   * Default `false`; a member of a group always has only a part.
   */
  readonly isPart?: boolean | undefined
  /**
   * Messages of each signer that are remembered, about 150 bytes each, and 1,000,000 of all of them; of one without a checkpoint, 1,024 at most. Repeats of older ones are
   * `unknown`. Default 100,000.
   */
  readonly maxMessages?: number | undefined
  /**
   * Gets each checkpoint that verifies, before it is acknowledged: store it beside the messages, and an audit finds later what is missing. What it
   * returns is awaited for at most 10 s; what it throws ends the loop. Repeats of QoS 1 come again.
   */
  readonly onCheckpoint?: ((checkpoint: Uint8Array) => unknown) | undefined
}

/** The page of limits shows it. */
export const schema = strict({
  topic: v.optional(topicFilters),
  graceMs: integer(0, LONGEST_TIMEOUT, 10_000),
  silentMs: integer(1, LONGEST_TIMEOUT, 40_000),
  toleranceMs: integer(0, 86_400_000, 60_000),
  isPart: v.optional(v.boolean('true or false'), false),
  maxMessages: integer(1, 10_000_000, 100_000),
  onCheckpoint: v.optional(
    v.custom<NonNullable<WatchOptions['onCheckpoint']>>((value) => typeof value === 'function', 'a function'),
  ),
})

/** What the options say, with every default filled in. */
export type WatchSettings = v.InferOutput<typeof schema>
