import { AlvariumError } from '../../foundation/base/errors.js'
import type { ReceivedMessage } from '../../transport/streams/mqtt/inbox.js'
import { type Receiver, receive } from '../../transport/streams/mqtt/receive.js'
import { controlTopics, isCheckpoint, isLease } from '../../verifying/consume/control-messages.js'
import { type BrokerOptions, connectionOf } from '../broker-options.js'
import { inWords } from '../fault.js'
import type { TrustOptions } from '../keys/trusted.js'
import type { Session } from '../session.js'
import { dim, safeText, yellow } from '../terminal/safe-text.js'
import { messageIn, openLetter } from './forms.js'
import type { FoundMessage } from './found.js'

export interface TopicOptions extends BrokerOptions {
  readonly count?: number
  readonly clientId?: string
  /** True if an output may lose acknowledged messages. */
  readonly mayLose?: boolean
  /** True to receive control messages (leases and checkpoints) even without a trust policy. */
  readonly withControlMessages?: boolean
}

export async function subscriptionTo(url: string, topic: string, options: TopicOptions) {
  const { clientId } = options
  return {
    ...(await connectionOf(url, options)),
    topic,
    ...(clientId === undefined ? { durable: false as const } : { clientId }),
  }
}

export async function openAndReport(
  listening: Pick<Receiver, 'open' | 'addEventListener'>,
  { url, topic }: { readonly url: string; readonly topic: string },
  { err }: Session,
): Promise<void> {
  listening.addEventListener('offline', (event) => {
    const { detail } = event as CustomEvent<Error>
    const isOurs = detail instanceof AlvariumError && detail.code === 'STREAM_CLOSED'
    if (!isOurs) void err.line(safeText`${yellow('offline')}  ${inWords(detail.message)}`)
  })
  await listening.open()
  await err.line(dim(safeText`listening to ${topic} at ${new URL(url).host}, Ctrl-C ends it`))
}

/**
 * Yields the messages of a topic, until `count` messages or Ctrl-C. Acknowledges messages when the caller
 * requests the next ones. With a policy or `withControlMessages`, also yields the control messages of
 * `<topic>/signers`.
 */
export async function* messagesAt(
  url: string,
  topic: string,
  options: TopicOptions & TrustOptions,
  session: Session,
): AsyncGenerator<FoundMessage[], void> {
  const subscription = await subscriptionTo(url, topic, options)
  const controlFilters = options.trust || options.withControlMessages ? controlTopics([topic]) : []
  // Put the control topics first, because brokers send retained messages in the order of the filters.
  const reception = receive({ ...subscription, topic: [...controlFilters, topic] })
  const stop = () => reception.close()
  session.interrupted.addEventListener('abort', stop)
  try {
    if (session.interrupted.aborted) return
    await openAndReport(reception, { url, topic }, session)
    let missing = options.count ?? Number.POSITIVE_INFINITY
    while (missing > 0) {
      const arrivals = upTo(missing, await reception.take())
      if (arrivals.length === 0) return
      const receivedAt = Math.max(...arrivals.map((one) => one.receivedAt))
      yield arrivals.map(({ topic, message }) =>
        openLetter({ place: topic, message: messageIn(message), receivedAt }),
      )
      for (const arrival of arrivals) arrival.ack()
      missing -= arrivals.filter(isCounted).length
    }
  } finally {
    session.interrupted.removeEventListener('abort', stop)
    await reception.close()
  }
}

function upTo(maxCount: number, arrivals: readonly ReceivedMessage[]): readonly ReceivedMessage[] {
  let left = maxCount
  const end = arrivals.findIndex((one) => isCounted(one) && --left === 0)
  return end < 0 ? arrivals : arrivals.slice(0, end + 1)
}

/** Returns whether `--count` includes a message. Leases and checkpoints are not included. */
function isCounted({ message }: ReceivedMessage): boolean {
  return !(isLease(message) || isCheckpoint(message))
}
