import { conflicts } from '../../foundation/base/errors.js'
import { invalid, onlyWith } from '../fault.js'
import type { TrustOptions } from '../keys/trusted.js'
import type { Session } from '../session.js'
import type { FoundMessage } from './found.js'
import { messagesOf } from './read.js'
import { ReadProgress } from './read-progress.js'
import type { TopicOptions } from './topic.js'

export interface MessageOptions extends TopicOptions, TrustOptions {
  readonly topic?: string
}

/** Yields the messages of named sources, of a topic, or of standard input. */
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
  if (sources.length > 0) throw conflicts('source', '--url')
  // Load MQTT lazily, because commands that read files do not need it.
  const { messagesAt } = await import('./topic.js')
  yield* messagesAt(url, topic, options, session)
}

export async function* messagesWithProgress(
  sources: readonly string[],
  options: MessageOptions,
  session: Session,
): AsyncGenerator<FoundMessage[], void> {
  const progress = await ReadProgress.begin(sources, session)
  yield* progress.count(messagesFor(sources, options, session, progress.addBytes))
}

/**
 * Refuses a durable subscription with redirected standard output. The broker forgets an acknowledged message,
 * which a killed process may not have written yet.
 */
export function assertKeptOutput({ clientId, mayLose = false }: TopicOptions, { out }: Session): void {
  if (clientId === undefined || mayLose || out.isTerminal) return
  throw invalid('--client-id', 'an output that stores acknowledged messages', PIPE)
}

const PIPE = [
  'standard output, which loses them if a process is killed: keep messages with alvarium listen --raw --out FILE,',
  'store them with alvarium store ingest --url, or add --may-lose',
].join(' ')
