import { streamsBehind } from './claim.js'
import type { StreamProvider } from './stream.js'

/** Topics that have had a subscriber, according to the broker. An outbox stores them with its messages. */
export interface HeardTopics {
  has(topic: string): boolean
  add(topic: string): void
}

/** Member of a stream that receives these topics. The stream does not let a broker drop messages for them. */
export const TAKES_HEARD: unique symbol = Symbol.for('alvarium-sdk.takesHeard')

interface TakesHeard extends StreamProvider {
  [TAKES_HEARD]?(heard: HeardTopics): void
  readonly [streamsBehind]?: readonly StreamProvider[]
}

/** Passes the topics to a stream and to all streams behind it, before the stream is connected. */
export function giveHeard(stream: TakesHeard, heard: HeardTopics): void {
  stream[TAKES_HEARD]?.(heard)
  for (const behind of stream[streamsBehind] ?? []) giveHeard(behind, heard)
}
