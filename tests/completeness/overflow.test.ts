// @slow
// @node-only: it stops the clock, needs Mosquitto's queue, or looks inside the package

import { mqtt, openSdk, source, subscribe } from 'alvarium-sdk'
import { checkpoints, completeness } from 'alvarium-sdk/completeness'
import { expect, it, onTestFinished } from 'vitest'
import { startMosquitto } from '../brokers/mosquitto.js'
import { utf8 } from '../support/bytes.js'
import { closing } from '../support/receiving.js'
import { key, keyring } from '../support/sdk.js'

/** More than the 1,000 messages that Mosquitto keeps for a disconnected client. */
const MESSAGES = 1_300

it('a subscription counts all messages that Mosquitto acknowledged and dropped during a long absence', async () => {
  const broker = await startMosquitto({ isDefault: true })
  onTestFinished(broker.stop)
  const where = { url: broker.url, topic: 't' }
  const archive = () =>
    subscribe({ ...where, keyring, clientId: 'archive', completeness: completeness({ graceMs: 0 }) })
  const before = archive()
  await before.open()
  await before.close()
  const limits = { maxInFlight: 256, maxQueuedMessages: MESSAGES }
  const sdk = closing(
    await openSdk({
      signingKey: key.signingKey,
      annotators: [source()],
      stream: mqtt({ ...where, ...limits }),
      checkpoints: checkpoints({ stream: mqtt({ ...where, topic: 't/signers' }) }),
    }),
  )
  await Promise.all(Array.from({ length: MESSAGES }, (_, at) => sdk.create(utf8(`${at}`))))
  const bundles = closing(archive())
  const received = new Set<string>()
  const over = (async () => {
    for await (const { id } of bundles) received.add(id)
  })()
  await bundles.open()
  // Sign the checkpoint that counts all messages.
  await sdk.close()
  const missing = () => bundles.stats().completeness?.missing ?? 0
  await expect.poll(() => received.size + missing()).toBe(MESSAGES)
  expect(missing()).toBeGreaterThan(0)
  await bundles.close()
  await over
  expect(bundles.stats().completeness).toMatchObject({ forked: 0, backdated: 0, silent: 0 })
  expect(received.size + missing()).toBe(MESSAGES)
})
