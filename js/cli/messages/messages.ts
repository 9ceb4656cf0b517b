import { notWith, onlyWith } from '../fault.js'
import type { TrustOptions } from '../keys/trusted.js'
import type { Session } from '../session.js'
import type { FoundMessage } from './found.js'
import { messagesOf } from './read.js'
import { ReadProgress } from './read-progress.js'
import type { TopicOptions } from './topic.js'

/** Options for sources of messages, in addition to named files. */
export interface MessageOptions extends TopicOptions, TrustOptions {
  readonly topic?: string
}

/**
 * Returns the messages of named sources, of a topic, or of standard input.
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
  // Load lazily: commands that read files do not need MQTT.
  const { messagesAt } = await import('./topic.js')
  yield* messagesAt(url, topic, options, session)
}

/**
 * Reads the same messages, and shows the progress meanwhile.
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
