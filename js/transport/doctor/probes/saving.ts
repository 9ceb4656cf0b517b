import { type MessageHandler, RefusedError } from '../client.js'
import type { Visit } from '../visit.js'

/** Topics of Mosquitto's log, with `log_dest topic`. */
const LOG = '$SYS/broker/log/#'
/** Line in Mosquitto's log about a failed save of its messages. */
const FAILURE_LINE = /^(?:\d+: )?(Error saving in-memory database.*)/s
const MAX_SHOWN = 200

/**
 * Reads the broker's log during a probe that makes the broker save messages.
 *
 * @returns the probe's finding, and the log line of a failed save
 */
export async function whileSaving<T>(
  visit: Visit,
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
    // Most brokers do not let clients read their log.
    if (!(error instanceof RefusedError)) throw error
  }
  const found = await probe()
  await reader.end()
  return [found, failure]
}
