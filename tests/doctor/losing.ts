// What a report says would be lost is tried with what users have: an SDK, `mqtt` and `subscribe`.

import type { BrokerReport, PromiseName } from 'alvarium-command/doctor'
import { keyOf, mqtt, openSdk, source, subscribe } from 'alvarium-sdk'
import { utf8 } from '../support/bytes.js'
import { closing } from '../support/receiving.js'
import { key, keyring } from '../support/sdk.js'

/** The promise of that name. */
export function promised({ promises }: BrokerReport, name: PromiseName) {
  const found = promises.find((one) => one.name === name)
  if (!found) throw new Error(`${name} was not checked`)
  return found
}

/** Which promises hold and which do not, by name. */
export function verdicts({ promises }: BrokerReport): Record<string, string> {
  return Object.fromEntries(promises.map(({ name, holds }) => [name, holds]))
}

/** Who publishes to a topic. */
export async function publisher(url: string, topic: string) {
  const stream = mqtt({ url, topic })
  return closing(await openSdk({ signingKey: key.signingKey, annotators: [source()], stream }))
}

/** Has the broker keep what comes for a subscriber, who is away from then on. */
export async function leave(url: string, topic: string) {
  const where = { url, topic, clientId: `away-${crypto.randomUUID()}`, keyring }
  const introduced = subscribe(where)
  await introduced.open()
  await introduced.close()
  return where
}

/**
 * Has a subscriber be away while an SDK publishes, all of whose calls resolve.
 *
 * @param expected - how many bundles should come when it is back; the next one is published then
 * @returns how many came before that one
 */
export async function keptWhileAway(
  { publishTo, subscribeTo = publishTo }: { publishTo: string; subscribeTo?: string },
  { calls, expected }: { calls: number; expected: number },
): Promise<number> {
  const topic = `away/${crypto.randomUUID()}`
  const where = await leave(subscribeTo, topic)
  const sdk = await publisher(publishTo, topic)
  await Promise.all(Array.from({ length: calls }, (_, at) => sdk.create(utf8(`${at}`))))
  const bundles = closing(subscribe(where))
  await bundles.open()
  let came = 0
  for await (const { key } of bundles) {
    if (key === LAST_KEY) break
    came += 1
    // Behind the others, and when there is room for it again.
    if (came === expected) await sdk.create(LAST)
  }
  return came
}

const LAST = utf8('the last one')
const LAST_KEY = keyOf(LAST)
