import { streamsBehind } from './claim.js'
import type { StreamProvider } from './stream.js'

/** Topics that have had a subscriber, according to the broker. An outbox stores them with its messages. */
export interface SubscribedTopics {
  has(topic: string): boolean
  add(topic: string): void
}

/** Key of a method that passes topics to a stream. Messages for these topics wait for a subscriber. */
export const TAKES_TOPICS: unique symbol = Symbol.for('alvarium-sdk.takesHeard')

interface TopicsTaker extends StreamProvider {
  [TAKES_TOPICS]?(heard: SubscribedTopics): void
  readonly [streamsBehind]?: readonly StreamProvider[]
}

/** Passes topics to a stream and to all streams that it forwards to. Call this before `connect()`. */
export function passTopics(stream: TopicsTaker, topics: SubscribedTopics): void {
  stream[TAKES_TOPICS]?.(topics)
  for (const behind of stream[streamsBehind] ?? []) passTopics(behind, topics)
}
