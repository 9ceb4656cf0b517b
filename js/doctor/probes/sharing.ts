import { Refused } from '../client.js'
import type { BrokerSharing } from '../report.js'
import type { Visit } from '../visit.js'
import { Arrivals, named } from './arrivals.js'

const MESSAGES = 20
/** How long all of them may take, and how long a second copy may, in milliseconds. */
const [ARRIVED_MS, COPY_MS] = [2_000, 300]

/** What becomes of messages for a group of two (MQTT 5, 4.8.2). */
export async function probeSharing(visit: Visit): Promise<BrokerSharing> {
  const topic = visit.topic('shared')
  const all = new Arrivals()
  const counts: [number, number] = [0, 0]
  const join = async (member: 0 | 1) => {
    const client = await visit.connect(`member-${member}`, {
      take: (...message) => {
        counts[member] += 1
        return all.take(...message)
      },
    })
    await client.subscribe(`$share/${visit.group}/${topic}`, visit.qos)
    return client
  }
  const nothing = { published: 0, delivered: 0, doubled: 0, members: counts }
  const members = await Promise.all([join(0), join(1)]).catch(refusal)
  if (!members) return nothing
  const publisher = await visit.connect('publisher')
  for (let number = 0; number < MESSAGES; number++)
    await publisher.publish(topic, named(String(number)), visit.qos)
  await publisher.sees(
    all.when(() => all.size === MESSAGES),
    ARRIVED_MS,
  )
  const copies = all.when(() => all.doubled >= MESSAGES)
  await publisher.sees(copies, COPY_MS)
  await Promise.all([...members, publisher].map((client) => client.end()))
  return { published: MESSAGES, delivered: all.size, doubled: all.doubled, members: counts }
}

function refusal(error: unknown): undefined {
  if (error instanceof Refused) return undefined
  throw error
}
