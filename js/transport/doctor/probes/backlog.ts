import { type ProbeClient, type Qos, RefusedError } from '../client.js'
import { STEPS } from '../options.js'
import type { BrokerBacklog } from '../report.js'
import type { CheckSession } from '../visit.js'
import { Arrivals, makeMessage, nameOf } from './arrivals.js'

/** Size in bytes of a message with one annotation. Messages are shorter if the broker's limit is lower. */
const MESSAGE_BYTES = 750
const MAX_IN_FLIGHT = 64
/** Time limit in milliseconds for the first message after the subscriber returns. */
const FIRST_MS = 3_000
/** Maximum milliseconds for which the probe waits for a marker. A marker is a message that follows the backlog. */
const MARKER_MS = 1_000
/** Number of consecutive markers, with no backlog message between them, that show the end of the backlog. */
const MIN_QUIET_MARKERS = 2
/** Number of markers lost in a row after which the probe gives up, if no other message arrives either. */
const MAX_LOST_MARKERS = 8

/**
 * Tests how a broker treats messages for an absent durable subscriber. The subscriber subscribes and leaves,
 * and the probe publishes messages. The subscriber returns, is cut off, and returns once more.
 */
export async function probeBacklog(visit: CheckSession): Promise<BrokerBacklog> {
  const topic = visit.topic('backlog')
  // Use QoS 1 at least, because brokers queue no messages for a subscription with QoS 0.
  const qos = (visit.qos || 1) as Qos
  const subscriber = await visit.connect('subscriber', { keepsSession: true })
  await subscriber.subscribe(topic, qos)
  await subscriber.end()
  const round = { visit, publisher: await visit.connect('publisher'), topic, qos }
  const acknowledged = await publishAll(round)
  const unacknowledged = await takeWithoutAcknowledging(visit)
  const { arrivals, isSessionKept } = await takeAll(round, acknowledged.size)
  await round.publisher.end()
  const keptNames = arrivals.names.filter((name) => acknowledged.has(name))
  return {
    published: visit.settings.messages,
    acknowledged: acknowledged.size,
    kept: keptNames.length,
    isSessionKept,
    isRedelivered: unacknowledged === undefined ? undefined : arrivals.has(unacknowledged),
    isInOrder: keptNames.every((name, at) => at === 0 || Number(keptNames[at - 1]) < Number(name)),
  }
}

interface Round {
  readonly visit: CheckSession
  readonly publisher: ProbeClient
  readonly topic: string
  readonly qos: Qos
}

/**
 * Publishes all messages of the backlog.
 *
 * @returns the names of the messages that the broker has acknowledged
 * @throws RefusedError if the broker has acknowledged none
 */
async function publishAll({ visit, publisher, topic, qos }: Round): Promise<Set<string>> {
  const { messages } = visit.settings
  const bytes = Math.min(MESSAGE_BYTES, publisher.maximumMessage)
  const acknowledged = new Set<string>()
  let refused: RefusedError | undefined
  let next = 0
  const publishNext = async () => {
    while (next < messages) {
      const name = String(next++)
      try {
        await publisher.publish(topic, makeMessage(name, bytes), qos)
        acknowledged.add(name)
      } catch (error) {
        // Continue if the broker refuses a message, for example because its queue is full: that is no silent loss.
        if (!(error instanceof RefusedError)) throw error
        refused = error
      }
      visit.reportProgress(STEPS.backlog, next, messages)
    }
  }
  const lanes = Math.min(MAX_IN_FLIGHT, publisher.receiveMaximum)
  await Promise.all(Array.from({ length: lanes }, publishNext))
  if (refused && acknowledged.size === 0) throw refused
  return acknowledged
}

/**
 * Connects the subscriber and cuts it at the first message.
 *
 * @returns the name of a message that arrived and was not acknowledged; `undefined` if none arrived
 */
async function takeWithoutAcknowledging(visit: CheckSession): Promise<string | undefined> {
  const arrivals = new Arrivals()
  const take: Arrivals['take'] = (...message) => {
    arrivals.take(...message)
    return false
  }
  const subscriber = await visit.connect('subscriber', { keepsSession: true, take })
  const hasCome = arrivals.when(() => arrivals.size > 0)
  // Wait only for an existing session, because a new session has no queued messages.
  if (subscriber.connack.sessionPresent) await subscriber.sees(hasCome, FIRST_MS)
  subscriber.cut()
  return arrivals.names[0]
}

async function takeAll({ visit, publisher, topic, qos }: Round, expected: number) {
  const [arrivals, markers] = [new Arrivals(), new Arrivals()]
  const take: Arrivals['take'] = (...message) => {
    if (nameOf(message[1]).startsWith(MARKER)) return markers.take(...message)
    visit.reportProgress('messages that the broker has kept', arrivals.size + 1, expected)
    return arrivals.take(...message)
  }
  const subscriber = await visit.connect('subscriber', { keepsSession: true, take })
  const isSessionKept = subscriber.connack.sessionPresent
  const all = arrivals.when(() => arrivals.size >= expected)
  const isDone = () =>
    arrivals.size >= expected || quiet >= MIN_QUIET_MARKERS || lostMarkers >= MAX_LOST_MARKERS
  let [quiet, lostMarkers] = [0, 0]
  // Publish markers only for an existing session, because a new session has no subscription to receive them.
  for (let number = 0; isSessionKept && !isDone(); number++) {
    const [before, name] = [arrivals.size, `${MARKER}${number}`]
    await publisher.publish(topic, makeMessage(name), qos)
    // Wait for the marker, which follows the backlog. It may not arrive: while its queue is full, the broker
    // drops markers, too.
    const hasCome = await subscriber.sees(
      Promise.race([all, markers.when(() => markers.has(name))]),
      MARKER_MS,
    )
    const isSilent = arrivals.size === before
    quiet = isSilent && hasCome ? quiet + 1 : 0
    lostMarkers = isSilent && !hasCome ? lostMarkers + 1 : 0
  }
  await subscriber.end()
  return { arrivals, isSessionKept }
}

const MARKER = 'marker '
