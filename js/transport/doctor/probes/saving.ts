import { type MessageHandler, RefusedError } from '../client.js'
import type { CheckSession } from '../visit.js'

/** Topics on which Mosquitto publishes its log if it is configured with `log_dest topic`. */
const LOG = '$SYS/broker/log/#'
/** Pattern of a log line in which Mosquitto reports that it failed to save its messages. */
const FAILURE_LINE = /^(?:\d+: )?(Error saving in-memory database.*)/s
const MAX_SHOWN = 200

/**
 * Runs a probe and reads the broker's log meanwhile.
 *
 * @returns the probe's finding, and the log line if the broker failed to save its messages
 */
export async function whileSaving<T>(
  visit: CheckSession,
  probe: () => Promise<T>,
): Promise<readonly [found: T, failure: string | undefined]> {
  let failure: string | undefined
  const take: MessageHandler = (_topic, payload) => {
    const [, line] = FAILURE_LINE.exec(new TextDecoder().decode(payload.subarray(0, MAX_SHOWN))) ?? []
    failure ??= line
    return true
  }
  const reader = await visit.connect('log', { take })
  try {
    await reader.subscribe(LOG, 0)
  } catch (error) {
    // Ignore a refused subscription, because most brokers do not let clients read their log.
    if (!(error instanceof RefusedError)) throw error
  }
  const found = await probe()
  await reader.end()
  return [found, failure]
}
