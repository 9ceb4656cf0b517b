import { PUBLISH_OVERHEAD, type Qos, Refused, type Take } from '../client.js'
import type { BrokerSize } from '../report.js'
import type { Visit } from '../visit.js'
import { Arrivals, named } from './arrivals.js'

/**
 * The highest QoS with which the broker takes a message.
 *
 * @throws Refused when it takes none at all
 */
export async function probePublishQos(visit: Visit, maximum: Qos): Promise<Qos> {
  let refused: unknown
  for (const qos of QOS.filter((one) => one <= maximum)) {
    refused = await refusalOf(visit, qos)
    if (!refused) return qos
  }
  throw refused
}

/** The highest first. */
const QOS = [2, 1, 0] as const

/** Brokers of MQTT 3.1.1 have no other way to refuse than to end the connection: each has one of its own. */
async function refusalOf(visit: Visit, qos: Qos): Promise<Refused | undefined> {
  const client = await visit.connect(`qos-${qos}`)
  try {
    await client.publish(visit.topic('qos'), named('qos'), qos)
    // With QoS 0 nothing is answered. The answer to this shows that the connection is still there.
    if (qos === 0) await client.subscribe(visit.topic('qos'), 0)
    return undefined
  } catch (error) {
    if (error instanceof Refused) return error
    throw error
  } finally {
    await client.end()
  }
}

/** The QoS that the broker grants to a subscription with QoS 2. */
export async function probeSubscribeQos(visit: Visit): Promise<Qos | 'refused'> {
  const client = await visit.connect('granted')
  try {
    return await client.subscribe(visit.topic('granted'), 2)
  } catch (error) {
    if (error instanceof Refused) return 'refused'
    throw error
  } finally {
    await client.end()
  }
}

/** Nobody has a limit below. */
const LEAST_BYTES = 1024
/** How long an acknowledged message may take to its subscriber, in milliseconds. */
const ARRIVED_MS = 10_000

/** How long it took, or what the broker did instead. */
type Fate = { readonly ms: number } | { readonly how: string }

/**
 * Whether a large message arrives; of a broker that does not take it, the largest that does, by halves. Some acknowledge what
 * they then drop, so each has to arrive.
 *
 * @param maximumPacketSize what the broker has announced: a longer packet is not sent (MQTT 5, 3.2.2.3.6)
 */
export async function probeSize(
  visit: Visit,
  maximumPacketSize = Number.POSITIVE_INFINITY,
): Promise<BrokerSize> {
  const { largestBytes } = visit.settings
  const most = maximumPacketSize - PUBLISH_OVERHEAD
  const how = `it takes packets of at most ${maximumPacketSize} bytes`
  let refused = largestBytes > most ? { bytes: largestBytes, how } : undefined
  for (let bytes = Math.min(largestBytes, most); bytes >= LEAST_BYTES; bytes = Math.floor(bytes / 2)) {
    visit.tell(`a message of ${bytes} bytes`, 0, 1)
    const fate = await fateOf(visit, bytes)
    if ('ms' in fate) return { arrived: bytes, ms: fate.ms, ...(refused && { refused }) }
    refused = { bytes, how: fate.how }
  }
  return { arrived: 0, ms: 0, ...(refused && { refused }) }
}

async function fateOf(visit: Visit, bytes: number): Promise<Fate> {
  const topic = visit.topic('size')
  const arrivals = new Arrivals()
  const subscriber = await visit.connect('size-subscriber', { take: arrivals.take })
  const publisher = await visit.connect('size-publisher')
  try {
    await subscriber.subscribe(topic, visit.qos)
    const since = performance.now()
    await publisher.publish(topic, named('large', bytes), visit.qos)
    // Comes behind it, or without it.
    await publisher.publish(topic, named('small'), visit.qos)
    const hasCome = arrivals.when(() => arrivals.size > 0)
    if (!(await subscriber.sees(hasCome, ARRIVED_MS)))
      return { how: `it did not arrive within ${ARRIVED_MS} ms` }
    if (arrivals.has('large')) return { ms: performance.now() - since }
    return { how: 'the broker acknowledged it, and did not deliver it' }
  } catch (error) {
    if (error instanceof Refused) return { how: error.message }
    throw error
  } finally {
    await Promise.all([publisher.end(), subscriber.end()])
  }
}

/** Whether a retained message comes to somebody who subscribes later. */
export async function probeRetained(visit: Visit): Promise<boolean> {
  const topic = visit.topic('retained')
  const publisher = await visit.connect('retaining')
  try {
    await visit.retain(publisher, topic, named('retained'))
  } catch (error) {
    if (error instanceof Refused) return false
    throw error
  }
  const [retained, others] = [new Arrivals(), new Arrivals()]
  const take: Take = (topic, payload, isRetained) =>
    (isRetained ? retained : others).take(topic, payload, isRetained)
  const later = await visit.connect('later', { take })
  await later.subscribe(topic, visit.qos)
  await publisher.publish(topic, named('behind'), visit.qos)
  const isKept = await later.seesBefore(
    others.when(() => others.size > 0),
    retained.when(() => retained.size > 0),
  )
  await Promise.all([publisher.end(), later.end()])
  return isKept
}
