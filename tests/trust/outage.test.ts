// @own-process: it stops the clock
// @node-only: it uses files, Buffers, processes or a stopped clock

import { mqtt, openSdk, type StreamProvider, source, verifyMessages } from 'alvarium-sdk'
import { Completeness, checkpoints, verifyCheckpoint } from 'alvarium-sdk/completeness'
import { outbox } from 'alvarium-sdk/outbox'
import { leased } from 'alvarium-sdk/trust'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { brokers } from '../brokers/brokers.js'
import { witness } from '../brokers/witness.js'
import { utf8 } from '../support/bytes.js'
import { newPlace } from '../support/places.js'
import { key } from '../support/sdk.js'
import { trustOf } from '../support/trust.js'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const YEAR = 365 * 24 * HOUR

beforeEach(() => {
  // The fake clock also advances by itself, because the broker is another process.
  const now = Date.UTC(2026, 10, 20, 10)
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now, shouldAdvanceTime: true })
})
afterEach(() => {
  vi.useRealTimers()
})

describe.each(brokers)(
  'an SDK with leases of one hour, whose broker $name is away for three hours',
  ({ start }) => {
    /** Signs and stores during the outage. Returns the messages that a consumer receives afterwards. */
    async function afterOutage() {
      const topic = 'line-4'
      const places = { bundles: newPlace(), leases: newPlace(), notes: newPlace() }
      const topics = { bundles: topic, leases: `${topic}/signers`, notes: `${topic}/signers` }
      const boxes = (streamTo: (topic: string) => StreamProvider) => {
        const box = (what: keyof typeof places) =>
          outbox({ stream: streamTo(topics[what]), store: places[what], closeTimeoutMs: 1 })
        return { bundles: box('bundles'), leases: box('leases'), notes: box('notes') }
      }
      // This broker never answers: three hours of connection attempts would take minutes here.
      const away = boxes(() => ({ publish: () => new Promise<void>(() => {}) }))
      const sdk = await openSdk({
        signingKey: leased(key.signingKey, { ttlMs: HOUR, stream: away.leases }),
        annotators: [source()],
        stream: away.bundles,
        checkpoints: checkpoints({ stream: away.notes }),
      })
      for (let quarter = 0; quarter < 12; quarter++) {
        await sdk.create(utf8(`${quarter}`))
        await sdk.createMany([utf8(`${quarter} a`), utf8(`${quarter} b`)])
        await vi.advanceTimersByTimeAsync(15 * MINUTE)
      }
      await sdk.close()

      const broker = await start()
      onTestFinished(broker.stop)
      const consumers = [await witness(broker.url, topic), await witness(broker.url, topics.notes)] as const
      for (const consumer of consumers) onTestFinished(consumer.close)
      const back = Object.values(boxes((one) => mqtt({ url: broker.url, topic: one })))
      for (const box of back) await box.connect()
      await vi.waitFor(() => expect(back.map(({ stored }) => stored.messages)).toEqual([0, 0, 0]))
      for (const box of back) await box.close()
      const [bundles, signers] = await Promise.all(consumers.map((consumer) => consumer.untilEnd()))
      const isLease = (text: string) => text.includes('alvarium.Lease/1')
      const leases = (signers as string[]).filter(isLease).map(utf8)
      const notes = (signers as string[]).filter((text) => !isLease(text)).map(utf8)
      return { messages: (bundles as string[]).map(utf8), leases, notes }
    }

    it('loses no message, and none is refused, whether verified at once or a year later', async () => {
      const { messages, leases, notes } = await afterOutage()
      expect(messages).toHaveLength(24)
      const [trust, completeness] = [await trustOf(), new Completeness()]
      const read = (receivedAt?: number) => {
        const own = (checkpointsAfter: Parameters<typeof verifyCheckpoint>[1]['checkpoints']) => {
          const options = { keyring: trust, leases, receivedAt, checkpoints: checkpointsAfter }
          return Promise.all(notes.map((note) => verifyCheckpoint(note, options)))
        }
        return own
      }
      // Verified by the signer's own clock: checkpoints then prove each other's time.
      const checked = await read()(undefined)
      for (const receivedAt of [Date.now(), Date.now() + YEAR]) {
        const times = await Promise.all([read(receivedAt)(checked), verified(messages, receivedAt, checked)])
        const [own, verdicts] = times
        expect(own).toHaveLength(notes.length)
        expect(verdicts.filter((verdict) => /^SIGNER/.test(verdict))).toEqual([])
        expect(verdicts.filter((verdict) => verdict === 'logged').length).toBeGreaterThan(10)
      }
      const without = await verified(messages, Date.now(), [])
      expect(without.filter((verdict) => verdict === 'SIGNER_EXPIRED').length).toBeGreaterThan(10)
      for (const one of checked) completeness.addCheckpoint(one)
      const all = await verifyMessages(messages, { keyring: trust, leases })
      for (const [at, one] of all.entries()) {
        if (one.status === 'fulfilled') completeness.addMessage(messages[at] as Uint8Array, one.value)
      }
      expect(completeness.report()).toMatchObject([{ verdict: 'complete', messages: 24, pending: 0 }])

      async function verified(some: readonly Uint8Array[], receivedAt: number, after: typeof checked) {
        const options = { keyring: trust, leases, receivedAt, checkpoints: after }
        return (await verifyMessages(some, options)).map((one) =>
          one.status === 'fulfilled' ? `${one.value[0]?.signedBy?.time}` : `${one.reason.code}`,
        )
      }
    })
  },
)
