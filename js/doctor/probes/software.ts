import type { Qos } from '../client.js'
import type { BrokerSoftware } from '../report.js'
import type { Visit } from '../visit.js'

/** How long the broker may take to tell, in milliseconds. */
const TOLD_MS = 500
/** Mosquitto retains its version there; aedes names each new client there. */
const AEDES_ENDS = '/new/clients'
const [MOSQUITTO, AEDES] = ['$SYS/broker/version', `$SYS/+${AEDES_ENDS}`]

/** What the broker says that it is, in its own topics. */
export async function probeSoftware(visit: Visit): Promise<BrokerSoftware | undefined> {
  let told: (software: BrokerSoftware) => void = () => {}
  const found = new Promise<BrokerSoftware>((resolve) => {
    told = resolve
  })
  const listener = await visit.connect('listener', {
    take: (topic, payload) => {
      if (topic.endsWith(AEDES_ENDS)) told({ name: 'aedes' })
      const version = new TextDecoder().decode(payload.subarray(0, 64)).match(/^mosquitto version (\S+)/)?.[1]
      if (version !== undefined) told({ name: 'Mosquitto', version })
      return true
    },
  })
  for (const topic of [MOSQUITTO, AEDES]) await listener.subscribe(topic, 0)
  const newcomer = await visit.connect('newcomer')
  const isTold = await listener.sees(found, TOLD_MS)
  await Promise.all([listener.end(), newcomer.end()])
  return isTold ? found : undefined
}

/**
 * RabbitMQ up to 3.12 by what it does: it hangs up on MQTT 5, where others refuse it, and grants QoS 1 at most.
 */
export function softwareBy(
  hasHungUp: boolean,
  subscribeQos: Qos | 'refused' | undefined,
): BrokerSoftware | undefined {
  return hasHungUp && subscribeQos === 1 ? { name: 'RabbitMQ' } : undefined
}
