import { RefusedError } from '../client.js'
import { STEPS } from '../options.js'
import type { BrokerRoundTrip } from '../report.js'
import type { CheckSession } from '../visit.js'
import { Arrivals, makeMessage } from './arrivals.js'

const SAMPLES = 100
const MAX_SAMPLING_MS = 3_000

/**
 * Measures the time until a message is acknowledged, and checks that acknowledged messages arrive.
 *
 * @throws RefusedError if the broker refuses a message or an acknowledged message does not arrive
 */
export async function probeRoundTrip(visit: CheckSession): Promise<BrokerRoundTrip> {
  try {
    return await measure(visit)
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error
    const text = `${error.message}: let this user publish and subscribe to alvarium-doctor/#`
    throw new RefusedError(text, { cause: error })
  }
}

async function measure(visit: CheckSession): Promise<BrokerRoundTrip> {
  const topic = visit.topic('round-trip')
  const arrivals = new Arrivals()
  const client = await visit.connect('round-trip', { take: arrivals.take })
  const { qos } = visit
  await client.subscribe(topic, qos)
  const times: number[] = []
  const begun = performance.now()
  while (times.length < SAMPLES && performance.now() - begun < MAX_SAMPLING_MS) {
    const since = performance.now()
    await client.publish(topic, makeMessage(String(times.length)), qos)
    times.push(performance.now() - since)
    visit.reportProgress(STEPS.roundTrip, times.length, SAMPLES)
  }
  // With QoS 0, wait for one message only, because the broker may drop the others.
  const all = qos === 0 ? 1 : times.length
  const haveArrived = arrivals.when(() => arrivals.size >= all)
  if (!(await client.sees(haveArrived, MAX_SAMPLING_MS))) {
    throw new RefusedError(`the broker delivered ${arrivals.size} of ${times.length} messages`)
  }
  await client.end()
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.ceil(share * times.length) - 1] as number
  return { count: times.length, minMs: times[0] as number, medianMs: at(0.5), p99Ms: at(0.99) }
}
