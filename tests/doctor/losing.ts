// Tries a report's predicted losses with the users' own means: an SDK, `mqtt` and `subscribe`.

import type { BrokerReport, PromiseName } from 'alvarium-command/doctor'
import { keyOf, mqtt, openSdk, source, subscribe } from 'alvarium-sdk'
import { utf8 } from '../support/bytes.js'
import { closing } from '../support/receiving.js'
import { key, keyring } from '../support/sdk.js'

export function promised({ promises }: BrokerReport, name: PromiseName) {
  const found = promises.find((one) => one.name === name)
  if (!found) throw new Error(`${name} was not checked`)
  return found
}

/** Returns by name which promises hold. */
export function verdicts({ promises }: BrokerReport): Record<string, string> {
  return Object.fromEntries(promises.map(({ name, holds }) => [name, holds]))
}

export async function publisher(url: string, topic: string) {
  const stream = mqtt({ url, topic })
  return closing(await openSdk({ signingKey: key.signingKey, annotators: [source()], stream }))
}

/** Subscribes with a session that the broker keeps, and disconnects. */
export async function leave(url: string, topic: string) {
  const where = { url, topic, clientId: `away-${crypto.randomUUID()}`, keyring }
  const introduced = subscribe(where)
  await introduced.open()
  await introduced.close()
  return where
}

/**
 * Publishes with an SDK while a subscriber is disconnected, waits until all calls have resolved, and subscribes again.
 *
 * @param expected - number of bundles that should arrive after its return; the next one is published then
 * @returns the number of bundles before that one
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
    // The last message comes after all others, when there is room again.
    if (came === expected) await sdk.create(LAST)
  }
  return came
}

const LAST = utf8('the last one')
const LAST_KEY = keyOf(LAST)
