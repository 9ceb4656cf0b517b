import { Refused, type Take } from '../client.js'
import type { Visit } from '../visit.js'
import { Arrivals, named } from './arrivals.js'

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
