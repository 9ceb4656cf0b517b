import { Refused } from '../client.js'
import type { BrokerSize } from '../report.js'
import type { Visit } from '../visit.js'
import { Arrivals, named } from './arrivals.js'

/** What a PUBLISH has around its message, with our topic and properties. */
const AROUND = 256
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
  const most = maximumPacketSize - AROUND
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
