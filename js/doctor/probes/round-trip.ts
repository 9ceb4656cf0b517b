import type { BrokerRoundTrip } from '../report.js'
import { STEPS } from '../steps.js'
import type { Visit } from '../visit.js'
import { Arrivals, named } from './arrivals.js'

const SAMPLES = 100
/** After so many milliseconds there are samples enough, however few. */
const LONG_MS = 3_000

/**
 * How long a message takes to its acknowledgement, one at a time; and whether what is acknowledged arrives at all.
 *
 * @throws Error when it does not
 */
export async function probeRoundTrip(visit: Visit): Promise<BrokerRoundTrip> {
  const topic = visit.topic('round-trip')
  const arrivals = new Arrivals()
  const client = await visit.connect('round-trip', { take: arrivals.take })
  const { qos } = visit.settings
  await client.subscribe(topic, qos)
  const times: number[] = []
  const begun = performance.now()
  while (times.length < SAMPLES && performance.now() - begun < LONG_MS) {
    const since = performance.now()
    await client.publish(topic, named(String(times.length)), qos)
    times.push(performance.now() - since)
    visit.tell(STEPS.roundTrip, times.length, SAMPLES)
  }
  const hasArrived = await client.sees(
    arrivals.when(() => arrivals.size >= (qos === 0 ? 1 : times.length)),
    LONG_MS,
  )
  if (!hasArrived) throw new Error(NOT_ARRIVED)
  await client.end()
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.ceil(share * times.length) - 1] as number
  return { count: times.length, minMs: times[0] as number, medianMs: at(0.5), p99Ms: at(0.99) }
}

const NOT_ARRIVED =
  'the broker acknowledged messages and did not deliver them: let this user publish and subscribe to alvarium-doctor/#'
