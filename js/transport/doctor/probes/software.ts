import type { MessageHandler, Qos } from '../client.js'
import type { BrokerSoftware } from '../report.js'
import type { CheckSession } from '../visit.js'
import { Arrivals, makeMessage } from './arrivals.js'

/** End of the topic on which aedes announces a new client. The probe recognizes aedes by this topic. */
const AEDES_ENDS = '/new/clients'
const [MOSQUITTO, AEDES] = ['$SYS/broker/version', `$SYS/+${AEDES_ENDS}`]

/** Returns the name of the broker's software according to its `$SYS` topics, or undefined. */
export async function probeSoftware(visit: CheckSession): Promise<BrokerSoftware | undefined> {
  let software: BrokerSoftware | undefined
  const [answers, behind] = [new Arrivals(), new Arrivals()]
  const marker = visit.topic('software')
  const take: MessageHandler = (topic, payload, isRetained) => {
    if (topic === marker) return behind.take(topic, payload, isRetained)
    const version = new TextDecoder().decode(payload.subarray(0, 64)).match(/^mosquitto version (\S+)/)?.[1]
    if (version !== undefined) software = { name: 'Mosquitto', version }
    else if (topic.endsWith(AEDES_ENDS)) software ??= { name: 'aedes' }
    return answers.take(topic, payload, isRetained)
  }
  const listener = await visit.connect('listener', { take })
  for (const topic of [MOSQUITTO, AEDES, marker]) await listener.subscribe(topic, 0)
  const newcomer = await visit.connect('newcomer')
  await listener.publish(marker, makeMessage('behind'), visit.qos)
  await listener.seesBefore(
    behind.when(() => behind.size > 0),
    answers.when(() => software !== undefined),
  )
  await Promise.all([listener.end(), newcomer.end()])
  return software
}

/**
 * Returns RabbitMQ if the broker behaves like RabbitMQ up to 3.12. That broker ends an MQTT 5 connection
 * without a CONNACK, and grants at most QoS 1.
 */
export function softwareBy(
  hasHungUp: boolean,
  subscribeQos: Qos | 'refused' | undefined,
): BrokerSoftware | undefined {
  return hasHungUp && subscribeQos === 1 ? { name: 'RabbitMQ' } : undefined
}
