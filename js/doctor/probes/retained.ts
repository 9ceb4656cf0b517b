import { Refused } from '../client.js'
import type { Visit } from '../visit.js'
import { named } from './arrivals.js'

/** How long a retained message may take to a new subscriber, in milliseconds. */
const ARRIVED_MS = 2_000

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
  let came = () => {}
  const arrived = new Promise<void>((resolve) => {
    came = resolve
  })
  const later = await visit.connect('later', {
    take: (_topic, _payload, isRetained) => {
      if (isRetained) came()
      return true
    },
  })
  await later.subscribe(topic, visit.qos)
  const isKept = await later.sees(arrived, ARRIVED_MS)
  await Promise.all([publisher.end(), later.end()])
  return isKept
}
