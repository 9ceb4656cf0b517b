import { notWith, onlyWith } from '../fault.js'
import type { TrustOptions } from '../keys/trusted.js'
import type { Session } from '../session.js'
import type { FoundMessage } from './found.js'
import { messagesOf } from './read.js'
import { ReadProgress } from './read-progress.js'
import type { TopicOptions } from './topic.js'

/** Where messages may come from, beside what is named. */
export interface MessageOptions extends TopicOptions, TrustOptions {
  readonly topic?: string
}

/**
 * The messages of what was named, of a topic, or of what is piped in.
 *
 * @throws AlvariumError `CONFIG_INVALID`
 */
export async function* messagesFor(
  sources: readonly string[],
  options: MessageOptions,
  session: Session,
  addBytes?: (bytes: number) => void,
): AsyncGenerator<FoundMessage[], void> {
  const { url, topic, count } = options
  session.begin()
  if (url === undefined) {
    if (topic !== undefined) throw onlyWith('--topic', '--url, the URL of the broker')
    if (count !== undefined) throw onlyWith('--count', '--url')
    return yield* messagesOf(sources.length > 0 ? sources : ['-'], session.input, addBytes)
  }
  if (topic === undefined) throw onlyWith('--url', '--topic')
  if (sources.length > 0) throw notWith('source', '--url')
  // Who reads files waits for nothing of MQTT.
  const { messagesAt } = await import('./topic.js')
  yield* messagesAt(url, topic, options, session)
}

/**
 * Reads the same messages, and shows meanwhile how far that is.
 *
 * @throws AlvariumError `CONFIG_INVALID`
 */
export async function* messagesWithProgress(
  sources: readonly string[],
  options: MessageOptions,
  session: Session,
): AsyncGenerator<FoundMessage[], void> {
  const progress = await ReadProgress.begin(sources, session)
  yield* progress.count(messagesFor(sources, options, session, progress.addBytes))
}
