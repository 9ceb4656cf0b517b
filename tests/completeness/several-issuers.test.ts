// @node-only: it needs a broker

import { type Finding, mqtt, type Subscription, subscribe } from 'alvarium-sdk'
import { completeness } from 'alvarium-sdk/completeness'
import { readTrust } from 'alvarium-sdk/trust'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { brokers, type TestBroker } from '../brokers/brokers.js'
import { closing } from '../support/receiving.js'
import { forkedNotes, leases, messages, notes, owner, policy } from '../support/two-issuers.js'

const YEARS_MS = 10 * 365 * 86_400_000
const [{ start }] = brokers as [(typeof brokers)[number]]
let broker: TestBroker
beforeAll(async () => {
  broker = await start()
})
afterAll(() => broker.stop())

/** Returns a subscription that has received some messages, with its findings. */
async function subscribeTo(topic: string, given: readonly Uint8Array[]) {
  const { url } = broker
  const keyring = await readTrust({ ...policy, acceptLateMs: YEARS_MS })
  let checkpoints = 0
  const onCheckpoint = async () => void checkpoints++
  const watch = completeness({ graceMs: 0, silentMs: 3_600_000, toleranceMs: 0, onCheckpoint })
  const where = { url, topic, keyring, durable: false, leases: true, completeness: watch } as const
  const bundles: Subscription = closing(subscribe(where))
  const findings: Finding[] = []
  bundles.addEventListener('incomplete', ({ finding }) => findings.push(finding))
  await bundles.open()
  let count = 0
  void (async () => {
    for await (const _ of bundles) count++
  })()
  const [raw, signers] = [closing(mqtt({ url, topic })), closing(mqtt({ url, topic: `${topic}/signers` }))]
  await Promise.all([raw.connect(), signers.connect()])
  for (const one of leases) await signers.publish(one)
  for (const one of given) await raw.publish(one)
  await expect.poll(() => count).toBe(given.length)
  const tell = async (all: readonly Uint8Array[]) => {
    for (const one of all) await signers.publish(one)
    await expect.poll(() => checkpoints).toBe(all.length)
  }
  return { bundles, findings, tell, stats: () => bundles.stats().completeness }
}

// claim: completeness-26
it('a subscription finds no missing message in a log whose messages were signed under leases of two issuers', async () => {
  const { findings, tell, stats } = await subscribeTo('whole', messages)
  await tell(notes)
  await expect.poll(stats).toMatchObject({ missing: 0, forked: 0, backdated: 0, pending: 0, unknown: 0 })
  expect(findings).toEqual([])
})

it('a subscription names in its findings the owner of a key that has leases of two issuers', async () => {
  const { findings, tell } = await subscribeTo('lacking', messages.slice(0, -1))
  await tell(notes)
  await expect.poll(() => findings.length).toBe(1)
  expect(findings).toMatchObject([{ kind: 'missing', signer: owner, first: 3, last: 3 }])
})

it('a subscription detects a forked log even if the contradicting checkpoints were signed under leases of two issuers', async () => {
  const { findings, tell } = await subscribeTo('forked', messages)
  await tell(forkedNotes)
  await expect.poll(() => findings.filter(({ kind }) => kind === 'forked').length).toBe(1)
  expect(findings.filter(({ kind }) => kind === 'forked')).toMatchObject([{ signer: owner, size: 1 }])
})
