import type { Qos } from '../client.js'
import { STEPS } from '../options.js'
import type { BrokerRestart } from '../report.js'
import type { CheckSession } from '../visit.js'
import { Arrivals, makeMessage } from './arrivals.js'

const MESSAGES = 10
const KEPT_MS = 3_000

/** Tests whether the broker keeps a session and its messages while a person restarts the broker. */
export async function probeRestart(visit: CheckSession): Promise<BrokerRestart> {
  const topic = visit.topic('restart')
  const qos = (visit.qos || 1) as Qos
  const subscriber = await visit.connect('restarted', { keepsSession: true })
  await subscriber.subscribe(topic, qos)
  await subscriber.end()
  const publisher = await visit.connect('restarting')
  for (let number = 0; number < MESSAGES; number++)
    await publisher.publish(topic, makeMessage(String(number)), qos)
  visit.reportProgress(STEPS.restart, 0, 1)
  await publisher.whenLost()
  const arrivals = new Arrivals()
  const again = await visit.reconnect('restarted', { keepsSession: true, take: arrivals.take })
  const isSessionKept = again.connack.sessionPresent
  const areAllThere = arrivals.when(() => arrivals.size === MESSAGES)
  if (isSessionKept) await again.sees(areAllThere, KEPT_MS)
  await again.end()
  return { published: MESSAGES, received: arrivals.size, isSessionKept }
}
