import { Refused, type Take } from '../client.js'
import type { Visit } from '../visit.js'

/** Topics of Mosquitto's log, with `log_dest topic`. */
const LOG = '$SYS/broker/log/#'
/** The line in Mosquitto's log that says that it cannot write what it keeps. */
const FAILURE_LINE = /^(?:\d+: )?(Error saving in-memory database.*)/s
const MAX_SHOWN = 200

/**
 * Reads the broker's log while a probe has it save messages.
 *
 * @returns what the probe found, and what the log says of a save that has failed
 */
export async function whileSaving<T>(
  visit: Visit,
  probe: () => Promise<T>,
): Promise<readonly [found: T, failure: string | undefined]> {
  let failure: string | undefined
  const take: Take = (_topic, payload) => {
    const [, line] = FAILURE_LINE.exec(new TextDecoder().decode(payload.subarray(0, MAX_SHOWN))) ?? []
    failure ??= line
    return true
  }
  const reader = await visit.connect('log', { take })
  try {
    await reader.subscribe(LOG, 0)
  } catch (error) {
    // Most brokers let no one read it.
    if (!(error instanceof Refused)) throw error
  }
  const found = await probe()
  await reader.end()
  return [found, failure]
}
