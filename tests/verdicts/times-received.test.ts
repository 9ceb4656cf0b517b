import { generateKey, subscribe, toHex } from 'alvarium-sdk'
import { completeness } from 'alvarium-sdk/completeness'
import type { Message } from 'alvarium-sdk/store'
import { type Policy, readTrust } from 'alvarium-sdk/trust'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startEmbedded } from '../brokers/embedded.js'
import { onOneDatabase } from '../store/databases.js'
import { bundleBy, checkpointBy, leaseBy, stateOf } from '../support/by-hand.js'
import { closing, next, sender } from '../support/receiving.js'

/*
 * Attacks on time where the reader has the time of receipt of each lease: in a store and a subscription. The issuer's
 * key ends at noon of the last day of 2020. The key that it lends signs from 9:30 until 10:30, a message at 10:00,
 * and a later lease states its log at 10:31.
 */

const RUN = 'ab'.repeat(16)
const time = (clock: string) => new Date(`2020-12-31T${clock}Z`)
const LATE = new Date('2026-11-28T13:00:00Z')
const [IN_TIME, AFTER_LEASE] = [time('10:05:00'), time('11:30:00')]

async function scene() {
  const [issuer, subject] = [generateKey(), generateKey()]
  const signed = bundleBy(subject, { payload: '21.4', timestamp: '2020-12-31T10:00:00.000000Z' })
  const note = checkpointBy(subject, {
    run: RUN,
    number: 0,
    log: [signed],
    from: '2020-12-31T09:30:00.000000Z',
    at: '2020-12-31T10:20:00.000000Z',
  })
  const lent = await leaseBy(issuer, subject, '2020-12-31T09:30:00Z', '2020-12-31T10:30:00Z')
  const log = stateOf(RUN, [signed])
  const stating = await leaseBy(issuer, subject, '2020-12-31T10:31:00Z', '2020-12-31T10:32:00Z', { log })
  const policy = (rules: object = { until: '2020-12-31T12:00:00Z' }): Policy => ({
    signers: [{ name: 'gateway-1', keys: [toHex(issuer.verifyingKey)], ...rules }],
  })
  return { message: signed.message, note, lent, stating, policy }
}
const at = (receivedAt: Date, ...messages: Uint8Array[]): Message[] =>
  messages.map((message) => ({ message, receivedAt }))

describe('a store with times of receipt', () => {
  onOneDatabase((database) => {
    const opened = async (policy: Policy) => database.open({ keyring: await readTrust(policy) })

    it('refuses messages that an expired key has backdated, in any order of arrival', async () => {
      const { message, note, lent, stating, policy } = await scene()
      const all = [lent, stating, note, message]
      for (const some of [all, all.toReversed()]) {
        const store = await opened(policy())
        const { bundles, rejected } = await store.ingest(at(LATE, ...some))
        expect([bundles, rejected]).toEqual([0, { SIGNER_EXPIRED: 2 }])
      }
    })

    it('accepts a late message if the lease with the root of its log arrived before the issuer expired, and an audit agrees', async () => {
      const { message, note, lent, stating, policy } = await scene()
      const store = await opened(policy())
      await store.ingest(at(AFTER_LEASE, lent, stating))
      expect(await store.ingest(at(LATE, note, message))).toMatchObject({ bundles: 1, rejected: {} })
      expect((await store.audit()).differences).toEqual([])
      // Another process reads the same from the database.
      const again = await opened(policy())
      expect((await again.audit()).differences).toEqual([])
      expect(await again.ingest(at(LATE, note, message))).toMatchObject({ copies: 2, rejected: {} })
    })

    it('refuses a late message if the lease with the root of its log arrived after the issuer expired', async () => {
      const { message, note, lent, stating, policy } = await scene()
      const store = await opened(policy())
      await store.ingest(at(IN_TIME, lent, note))
      await store.ingest(at(LATE, stating))
      expect(await store.ingest(at(AFTER_LEASE, message))).toMatchObject({ rejected: { SIGNER_EXPIRED: 1 } })
      const honest = await opened(policy({}))
      expect(await honest.ingest(at(AFTER_LEASE, note, message))).toMatchObject({ bundles: 1 })
    })

    it.each([
      ['expired', { until: '2020-12-31T12:00:00Z' }, 'SIGNER_EXPIRED'],
      ['was revoked', { revoked: { since: '2020-12-31T12:00:00Z' } }, 'SIGNER_REVOKED'],
    ])(
      'refuses a quarantined message of an unknown key whose lease arrives after the issuer %s',
      async (_, rules, code) => {
        const { message, lent, policy } = await scene()
        const store = await opened(policy(rules))
        expect(await store.ingest(at(IN_TIME, message))).toMatchObject({ quarantined: 1 })
        await store.ingest(at(LATE, lent))
        expect(await store.retryQuarantine()).toMatchObject({ bundles: 0, rejected: { [code]: 1 } })
      },
    )

    it('accepts a quarantined message of an unknown key whose lease arrives before the issuer expires', async () => {
      const { message, lent, policy } = await scene()
      const store = await opened(policy())
      expect(await store.ingest(at(IN_TIME, message))).toMatchObject({ quarantined: 1 })
      await store.ingest(at(AFTER_LEASE, lent))
      expect(await store.retryQuarantine()).toMatchObject({ bundles: 1, rejected: {} })
    })
  })
})

describe('a subscription with times of receipt', () => {
  let broker: Awaited<ReturnType<typeof startEmbedded>>
  beforeAll(async () => {
    broker = await startEmbedded()
  })
  afterAll(() => broker.stop())

  /** Subscribes in such a way that no message waits. Returns the outcome of the first message. */
  async function outcome(
    { policy, message, note, lent, stating }: Awaited<ReturnType<typeof scene>>,
    rules?: object,
  ) {
    const topic = `times-${crypto.randomUUID()}`
    const bundles = closing(
      subscribe({
        url: broker.tcpUrl,
        topic,
        keyring: await readTrust(policy(rules)),
        durable: false,
        prefetch: 1,
        leases: true,
        completeness: completeness(),
      }),
    )
    const codes: string[] = []
    const rejected = new Promise<string>((resolve) => {
      bundles.addEventListener('rejected', (event) => {
        codes.push(event.error.code)
        if (event.topic === topic) resolve(event.error.code)
      })
    })
    await bundles.open()
    const loop = bundles[Symbol.asyncIterator]()
    const delivered = next(loop, 1).then(([one]) => (one as { signedBy?: { time: string } }).signedBy?.time)
    const [out, beside] = [
      await sender(broker.tcpUrl, topic),
      await sender(broker.tcpUrl, `${topic}/signers`),
    ]
    for (const one of [lent, stating, note]) await beside.publish(one)
    await out.publish(message)
    return Promise.race([rejected, delivered])
  }

  it('rejects messages that an expired key has backdated, and delivers messages of a key that has not expired', async () => {
    const all = await scene()
    expect(await outcome(all)).toBe('SIGNER_EXPIRED')
    expect(await outcome(all, {})).toBe('logged')
  })
})
