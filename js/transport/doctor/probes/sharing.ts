import { type MessageHandler, RefusedError } from '../client.js'
import type { BrokerSharing } from '../report.js'
import type { CheckSession } from '../visit.js'
import { Arrivals, makeMessage } from './arrivals.js'

const MESSAGES = 20
export const NO_SHARING: BrokerSharing = { published: 0, delivered: 0, repeated: 0, members: [0, 0] }

/** Tests how a broker shares messages between two clients of a shared subscription (MQTT 5, 4.8.2). */
export async function probeSharing(visit: CheckSession): Promise<BrokerSharing> {
  const [topic, marker] = [visit.topic('shared'), visit.topic('behind-shared')]
  const [all, behind] = [new Arrivals(), new Arrivals()]
  const members: [number, number] = [0, 0]
  const join = async (member: 0 | 1) => {
    const take: MessageHandler = (...message) => {
      if (message[0] === marker) return behind.take(...message)
      members[member] += 1
      return all.take(...message)
    }
    const client = await visit.connect(`member-${member}`, { take })
    await client.subscribe(`$share/${visit.group}/${topic}`, visit.qos)
    await client.subscribe(marker, visit.qos)
    return client
  }
  const clients = await Promise.all([join(0), join(1)]).catch(refusal)
  if (!clients) return NO_SHARING
  const publisher = await visit.connect('publisher')
  for (let number = 0; number < MESSAGES; number++)
    await publisher.publish(topic, makeMessage(String(number)), visit.qos)
  await publisher.publish(marker, makeMessage('behind'), visit.qos)
  // Wait until both clients have the marker, and 0.5 s longer: the second copy of the marker counts as a
  // repeated delivery. Stop at once if the number of repeated deliveries reaches the number of messages.
  const isBehind = behind.when(() => behind.repeated > 0)
  await publisher.seesBefore(
    isBehind,
    all.when(() => all.repeated >= MESSAGES),
  )
  await Promise.all([...clients, publisher].map((client) => client.end()))
  return { published: MESSAGES, delivered: all.size, repeated: all.repeated, members }
}

function refusal(error: unknown): undefined {
  if (error instanceof RefusedError) return undefined
  throw error
}
