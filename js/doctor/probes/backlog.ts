import { type ProbeClient, type Qos, Refused } from '../client.js'
import { STEPS } from '../options.js'
import type { BrokerBacklog } from '../report.js'
import type { Visit } from '../visit.js'
import { Arrivals, named, nameOf } from './arrivals.js'

/** The length of a message with one annotation, in bytes. A broker that takes less gets shorter ones. */
const MESSAGE_BYTES = 750
/** Most messages in flight, as is the default of `mqtt`. */
const WINDOW = 64
/** How long the broker may take for the first message when the subscriber is back, in milliseconds. */
const FIRST_MS = 3_000
/** How long the broker has for a marker after the backlog before another one is sent, in milliseconds. */
const MARKER_MS = 1_000
/** After this many markers with nothing of the backlog between them, nothing more comes. */
const QUIET = 2
/** Nor after this many markers that did not come, if nothing else came either. */
const DEAF = 8

/**
 * What becomes of messages for a durable subscriber that is away: it subscribes and leaves, messages are published, it comes
 * back, is cut off before it has acknowledged any, and comes back once more.
 */
export async function probeBacklog(visit: Visit): Promise<BrokerBacklog> {
  const topic = visit.topic('backlog')
  // No broker keeps anything for a subscription with QoS 0.
  const qos = (visit.qos || 1) as Qos
  const subscriber = await visit.connect('subscriber', { isKept: true })
  await subscriber.subscribe(topic, qos)
  await subscriber.end()
  const round = { visit, publisher: await visit.connect('publisher'), topic, qos }
  const acknowledged = await publishAll(round)
  const unacknowledged = await takeWithoutAcknowledging(visit)
  const { arrivals, isSessionKept } = await takeAll(round, acknowledged.size)
  await round.publisher.end()
  const kept = arrivals.names.filter((name) => acknowledged.has(name))
  return {
    published: visit.settings.messages,
    acknowledged: acknowledged.size,
    kept: kept.length,
    isSessionKept,
    isRedelivered: unacknowledged === undefined ? undefined : arrivals.has(unacknowledged),
    isInOrder: kept.every((name, at) => at === 0 || Number(kept[at - 1]) < Number(name)),
  }
}

interface Round {
  readonly visit: Visit
  readonly publisher: ProbeClient
  readonly topic: string
  readonly qos: Qos
}

/**
 * @returns the names of those that the broker has acknowledged
 * @throws Refused when it has acknowledged none
 */
async function publishAll({ visit, publisher, topic, qos }: Round): Promise<Set<string>> {
  const { messages } = visit.settings
  const bytes = Math.min(MESSAGE_BYTES, publisher.maximumMessage)
  const acknowledged = new Set<string>()
  let refused: Refused | undefined
  let next = 0
  const lane = async () => {
    while (next < messages) {
      const name = String(next++)
      try {
        await publisher.publish(topic, named(name, bytes), qos)
        acknowledged.add(name)
      } catch (error) {
        // A broker whose queue is full may say so: then nothing is lost unsaid.
        if (!(error instanceof Refused)) throw error
        refused = error
      }
      visit.tell(STEPS.backlog, next, messages)
    }
  }
  const lanes = Math.min(WINDOW, publisher.receiveMaximum)
  await Promise.all(Array.from({ length: lanes }, lane))
  if (refused && acknowledged.size === 0) throw refused
  return acknowledged
}

/** @returns the name of a message that came and was not acknowledged; `undefined` when none came */
async function takeWithoutAcknowledging(visit: Visit): Promise<string | undefined> {
  const arrivals = new Arrivals()
  const take: Arrivals['take'] = (...message) => {
    arrivals.take(...message)
    return false
  }
  const subscriber = await visit.connect('subscriber', { isKept: true, take })
  const hasCome = arrivals.when(() => arrivals.size > 0)
  // The broker sends nothing to a session that it has forgotten.
  if (subscriber.connack.sessionPresent) await subscriber.sees(hasCome, FIRST_MS)
  subscriber.cut()
  return arrivals.names[0]
}

async function takeAll({ visit, publisher, topic, qos }: Round, expected: number) {
  const [arrivals, markers] = [new Arrivals(), new Arrivals()]
  const take: Arrivals['take'] = (...message) => {
    if (nameOf(message[1]).startsWith(MARKER)) return markers.take(...message)
    visit.tell('messages that the broker has kept', arrivals.size + 1, expected)
    return arrivals.take(...message)
  }
  const subscriber = await visit.connect('subscriber', { isKept: true, take })
  const isSessionKept = subscriber.connack.sessionPresent
  const all = arrivals.when(() => arrivals.size >= expected)
  const isDone = () => arrivals.size >= expected || quiet >= QUIET || deaf >= DEAF
  let [quiet, deaf] = [0, 0]
  // Without its session it has no subscription, and no marker would come.
  for (let number = 0; isSessionKept && !isDone(); number++) {
    const [before, name] = [arrivals.size, `${MARKER}${number}`]
    await publisher.publish(topic, named(name), qos)
    // What is published later comes after the backlog. A full queue drops the marker too, until there is room.
    const hasCome = await subscriber.sees(
      Promise.race([all, markers.when(() => markers.has(name))]),
      MARKER_MS,
    )
    const isSilent = arrivals.size === before
    quiet = isSilent && hasCome ? quiet + 1 : 0
    deaf = isSilent && !hasCome ? deaf + 1 : 0
  }
  await subscriber.end()
  return { arrivals, isSessionKept }
}

const MARKER = 'marker '
