import * as v from 'valibot'
import { integer, MAX_TIMEOUT_MS, strict } from '../../../foundation/base/options/schema.js'
import { topicFilters } from '../../../transport/streams/mqtt/options.js'

/** Settings for finding missing messages in a subscription: topics, times and limits. */
export interface WatchOptions {
  /** Topic filters of the checkpoints. Default: the topic `/signers` below each topic of the subscription. */
  readonly topic?: string | readonly string[] | undefined
  /** Milliseconds after a checkpoint until its listed messages should have arrived. Default 10,000. */
  readonly graceMs?: number | undefined
  /**
   * Milliseconds after a message within which a checkpoint should list the message. A signer that needs
   * longer is `silent`. Must be more than the `everyMs` of the signers. Default 40,000.
   */
  readonly silentMs?: number | undefined
  /**
   * Milliseconds by which a message's time may lie outside the times of the checkpoints before and after it,
   * and by which a signer's clock may differ from yours. Default 60,000.
   */
  readonly toleranceMs?: number | undefined
  /**
   * True if the topics of this subscription contain only a part of a signer's messages. Nothing counts as
   * missing then. Default `false`. A member of a group always receives only a part.
   */
  readonly isPart?: boolean | undefined
  /**
   * Maximum number of remembered messages of a signer, about 150 bytes each. It applies separately to
   * messages that checkpoints list, and to others. For a signer without checkpoints, the maximum is 1,024 or
   * this number, whichever is smaller. For all signers together, it is 1,000,000. A forgotten message that
   * arrives again counts as `unknown`. Default 100,000.
   */
  readonly maxMessages?: number | undefined
  /**
   * Callback that receives each verified checkpoint before the SDK acknowledges it. Store checkpoints with the
   * messages, so that a later audit finds missing messages. A returned promise is awaited for at most 10 s. An
   * exception ends the loop. With QoS 1, checkpoints may repeat.
   */
  readonly onCheckpoint?: ((checkpoint: Uint8Array) => unknown) | undefined
}

/** Valibot schema of {@link WatchOptions}. The guide's page of limits is generated from it. */
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

export type WatchSettings = v.InferOutput<typeof schema>
