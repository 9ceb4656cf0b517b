// @slow
// @node-only: it uses files

import { keyOf, toHex } from 'alvarium-sdk'
import { expect, it, onTestFinished } from 'vitest'
import { startMosquitto } from '../brokers/mosquitto.js'
import { witness } from '../brokers/witness.js'
import { utf8 } from '../support/bytes.js'
import { drain, startOutbox } from '../support/outbox-process.js'
import { newPlace } from '../support/places.js'
import { key } from '../support/sdk.js'
import { verifiedAll } from '../support/verified.js'

const KILLS = 4
/** Time limit in milliseconds: a process starts for each kill, which takes long on a busy machine. */
const PATIENT = 120_000

// claim: delivery-15
it(
  'a publisher that is killed again and again loses no message whose call resolved',
  async () => {
    const broker = await startMosquitto()
    onTestFinished(broker.stop)
    const consumer = await witness(broker.url, 't')
    onTestFinished(consumer.close)
    const options = { url: broker.url, topic: 't', folder: newPlace(), key: toHex(key.signingKey) }
    const promised: number[] = []
    for (let kill = 1; kill <= KILLS; kill++) {
      const process = startOutbox({ ...options, from: kill * 1_000_000 })
      await process.until(() => process.stored.length >= 150 * kill)
      await process.kill()
      expect(process.failed).toEqual([])
      promised.push(...process.stored)
    }
    await drain(options)
    const bundles = await verifiedAll(await consumer.untilEnd())
    const keysById = new Map(bundles.map((bundle) => [bundle.id, bundle.key]))
    const keys = new Set(keysById.values())
    expect(promised.filter((number) => !keys.has(keyOf(utf8(`${number}`))))).toEqual([])
    // A consumer removes duplicates by bundle id: one bundle per call remains.
    expect(keysById.size).toBe(keys.size)
    expect(promised.length).toBeGreaterThan(1000)
  },
  PATIENT,
)
