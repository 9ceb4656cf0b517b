import { type Qos, Refused } from '../client.js'
import type { Visit } from '../visit.js'
import { named } from './arrivals.js'

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
