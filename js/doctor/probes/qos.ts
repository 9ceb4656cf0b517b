import { type Qos, Refused } from '../client.js'
import type { Visit } from '../visit.js'
import { named } from './arrivals.js'

/** The highest QoS with which the broker takes a message. */
export async function probePublishQos(visit: Visit, maximum: Qos): Promise<Qos> {
  for (let qos = maximum; qos > 0; qos--) {
    if (await isTaken(visit, qos)) return qos
  }
  return 0
}

/** Brokers of MQTT 3.1.1 have no other way to refuse than to end the connection: each has one of its own. */
async function isTaken(visit: Visit, qos: Qos): Promise<boolean> {
  const client = await visit.connect(`qos-${qos}`)
  try {
    await client.publish(visit.topic('qos'), named('qos'), qos)
    return true
  } catch (error) {
    if (error instanceof Refused) return false
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
