import { innerStreamsOf } from './claim.js'
import type { StreamProvider } from './stream.js'

/** Topics for which the broker has reported a subscriber so far. An outbox stores them with its messages. */
export interface SubscribedTopics {
  has(topic: string): boolean
  add(topic: string): void
}

/** Key of a method that passes topics to a stream. While such a topic has no subscriber, its messages wait. */
export const ACCEPT_TOPICS: unique symbol = Symbol.for('alvarium-sdk.acceptTopics')

interface TopicsStream extends StreamProvider {
  [ACCEPT_TOPICS]?(topics: SubscribedTopics): void
}

/** Passes topics to a stream and to all streams that it forwards to. Call this before `connect()`. */
export function passTopics(stream: TopicsStream, topics: SubscribedTopics): void {
  stream[ACCEPT_TOPICS]?.(topics)
  for (const inner of innerStreamsOf(stream)) passTopics(inner, topics)
}
