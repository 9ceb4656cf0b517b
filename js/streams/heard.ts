import { streamsBehind } from './claim.js'
import type { StreamProvider } from './stream.js'

/** Topics to which someone has subscribed, by the word of a broker. An outbox keeps them with its messages. */
export interface HeardTopics {
  has(topic: string): boolean
  add(topic: string): void
}

/** The member by which a stream takes them: it does not let a broker drop what it sends to these topics. */
export const TAKES_HEARD: unique symbol = Symbol.for('alvarium-sdk.takesHeard')

interface TakesHeard extends StreamProvider {
  [TAKES_HEARD]?(heard: HeardTopics): void
  readonly [streamsBehind]?: readonly StreamProvider[]
}

/** Gives them to a stream, and to all that stand behind it, before it is connected. */
export function giveHeard(stream: TakesHeard, heard: HeardTopics): void {
  stream[TAKES_HEARD]?.(heard)
  for (const behind of stream[streamsBehind] ?? []) giveHeard(behind, heard)
}
