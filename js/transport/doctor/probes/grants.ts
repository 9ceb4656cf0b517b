import { type MessageHandler, PUBLISH_OVERHEAD, type Qos, RefusedError } from '../client.js'
import type { BrokerSize } from '../report.js'
import type { CheckSession } from '../visit.js'
import { Arrivals, makeMessage } from './arrivals.js'

/**
 * Returns the highest QoS with which the broker accepts a message.
 *
 * @throws RefusedError if the broker accepts no QoS
 */
export async function probePublishQos(visit: CheckSession, maximum: Qos): Promise<Qos> {
  let refused: unknown
  for (const qos of QOS.filter((one) => one <= maximum)) {
    refused = await refusalOf(visit, qos)
    if (!refused) return qos
  }
  throw refused
}

const QOS = [2, 1, 0] as const

/**
 * Returns the broker's reason for refusing a message of this QoS, or undefined if it accepts the message.
 * Uses a new client, because an MQTT 3.1.1 broker can refuse only by ending the connection.
 */
async function refusalOf(visit: CheckSession, qos: Qos): Promise<RefusedError | undefined> {
  const client = await visit.connect(`qos-${qos}`)
  try {
    await client.publish(visit.topic('qos'), makeMessage('qos'), qos)
    // Subscribe to test the connection, because a message with QoS 0 gets no acknowledgement.
    if (qos === 0) await client.subscribe(visit.topic('qos'), 0)
    return undefined
  } catch (error) {
    if (error instanceof RefusedError) return error
    throw error
  } finally {
    await client.end()
  }
}

/** Returns the QoS that the broker grants to a subscription with QoS 2. */
export async function probeSubscribeQos(visit: CheckSession): Promise<Qos | 'refused'> {
  const client = await visit.connect('granted')
  try {
    return await client.subscribe(visit.topic('granted'), 2)
  } catch (error) {
    if (error instanceof RefusedError) return 'refused'
    throw error
  } finally {
    await client.end()
  }
}

/** Minimum size in bytes that the probe tries, because no known broker has a lower limit. */
const MIN_BYTES = 1024
const MAX_ARRIVAL_MS = 10_000

/** Delivery time of a message in milliseconds, or the reason why the message did not arrive. */
type DeliveryResult = { readonly ms: number } | { readonly how: string }

/**
 * Publishes a large message, and halves its size until one arrives. An acknowledgement is not enough, because
 * some brokers acknowledge messages that they then drop.
 *
 * @param maximumPacketSize the broker's limit for packets in bytes (MQTT 5, 3.2.2.3.6)
 */
export async function probeSize(
  visit: CheckSession,
  maximumPacketSize = Number.POSITIVE_INFINITY,
): Promise<BrokerSize> {
  const { largestBytes } = visit.settings
  const maxBytes = maximumPacketSize - PUBLISH_OVERHEAD
  const reason = `it takes packets of at most ${maximumPacketSize} bytes`
  let refused = largestBytes > maxBytes ? { bytes: largestBytes, how: reason } : undefined
  for (let bytes = Math.min(largestBytes, maxBytes); bytes >= MIN_BYTES; bytes = Math.floor(bytes / 2)) {
    visit.reportProgress(`a message of ${bytes} bytes`, 0, 1)
    const result = await deliver(visit, bytes)
    if ('ms' in result) return { arrived: bytes, ms: result.ms, ...(refused && { refused }) }
    refused = { bytes, how: result.how }
  }
  return { arrived: 0, ms: 0, ...(refused && { refused }) }
}

async function deliver(visit: CheckSession, bytes: number): Promise<DeliveryResult> {
  const topic = visit.topic('size')
  const arrivals = new Arrivals()
  const subscriber = await visit.connect('size-subscriber', { take: arrivals.take })
  const publisher = await visit.connect('size-publisher')
  try {
    await subscriber.subscribe(topic, visit.qos)
    const since = performance.now()
    await publisher.publish(topic, makeMessage('large', bytes), visit.qos)
    // Publish a small message as a marker. If only the marker arrives, the broker dropped the large message.
    await publisher.publish(topic, makeMessage('small'), visit.qos)
    const hasCome = arrivals.when(() => arrivals.size > 0)
    if (!(await subscriber.sees(hasCome, MAX_ARRIVAL_MS)))
      return { how: `it did not arrive within ${MAX_ARRIVAL_MS} ms` }
    if (arrivals.has('large')) return { ms: performance.now() - since }
    return { how: 'the broker acknowledged it, and did not deliver it' }
  } catch (error) {
    if (error instanceof RefusedError) return { how: error.message }
    throw error
  } finally {
    await Promise.all([publisher.end(), subscriber.end()])
  }
}

/** Returns whether a retained message reaches a client that subscribes later. */
export async function probeRetained(visit: CheckSession): Promise<boolean> {
  const topic = visit.topic('retained')
  const publisher = await visit.connect('retaining')
  try {
    await visit.retain(publisher, topic, makeMessage('retained'))
  } catch (error) {
    if (error instanceof RefusedError) return false
    throw error
  }
  const [retained, others] = [new Arrivals(), new Arrivals()]
  const take: MessageHandler = (topic, payload, isRetained) =>
    (isRetained ? retained : others).take(topic, payload, isRetained)
  const later = await visit.connect('later', { take })
  await later.subscribe(topic, visit.qos)
  await publisher.publish(topic, makeMessage('behind'), visit.qos)
  const isKept = await later.seesBefore(
    others.when(() => others.size > 0),
    retained.when(() => retained.size > 0),
  )
  await Promise.all([publisher.end(), later.end()])
  return isKept
}
