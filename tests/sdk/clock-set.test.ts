// @node-only: no engine decides it
// @own-process: it stops the clock

import { keyOf, toHex, verifyBatch, verifyMessage } from 'alvarium-sdk'
import { Completeness, verifyCheckpoint } from 'alvarium-sdk/completeness'
import { signRequest, verifyRequest } from 'alvarium-sdk/http'
import { readTrust } from 'alvarium-sdk/trust'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { loggedSdk } from '../support/checkpoints.js'
import { openLeased } from '../support/leased.js'
import { key } from '../support/sdk.js'

// The clock is set between two calls: earlier signatures still verify, no message is lost, and old or future requests
// are refused.

const NOON = Date.UTC(2026, 10, 20, 12)
const DAY = 86_400_000

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'], now: NOON })
})
afterEach(() => {
  vi.useRealTimers()
})

const payload = (text: string) => utf8(text)

/** Publishes before and after the clock is set, as single bundles and in batches. Returns the messages. */
async function publishAround(set: () => void) {
  const opened = await loggedSdk({ host: 'edge-7' }, { every: 2 })
  for (const half of ['before', 'after']) {
    for (const at of [1, 2, 3]) await opened.sdk.create(payload(`${half} ${at}`))
    await opened.sdk.createMany([payload(`${half} 4`), payload(`${half} 5`)])
    if (half === 'before') set()
  }
  await opened.sdk.close()
  return opened
}

describe.each([
  ['back by a day', -DAY],
  ['forward by a day', DAY],
  ['back by 50 years', -50 * 365 * DAY],
  ['forward by 50 years', 50 * 365 * DAY],
])('after the clock was set %s', (_, byMs) => {
  const set = () => void vi.setSystemTime(Date.now() + byMs)

  it('bundles have the time of the clock and unique ids, and verify', async () => {
    const { messages, keyring } = await publishAround(set)
    const bundles = (await Promise.all(messages.map((one) => verifyBatch(one, { keyring })))).flat()
    expect(bundles.map((one) => one.key)).toEqual(
      ['before', 'after'].flatMap((half) => [1, 2, 3, 4, 5].map((at) => keyOf(payload(`${half} ${at}`)))),
    )
    const times = bundles.map(({ timestamp }) => Math.floor(Date.parse(timestamp)))
    expect(times).toEqual([...Array(5).fill(NOON), ...Array(5).fill(NOON + byMs)])
    const ids = bundles.flatMap(({ annotations }) => annotations.map(({ id }) => id))
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('checkpoints verify, and list every message of the run', async () => {
    const { messages, notes, keyring } = await publishAround(set)
    const found = new Completeness()
    for (const note of notes) found.addCheckpoint(await verifyCheckpoint(note, { keyring }))
    for (const one of messages) found.addMessage(one, await verifyBatch(one, { keyring }))
    expect(found.report()).toMatchObject([{ verdict: 'complete', missing: [], unlisted: [], forks: [] }])
    expect(notes.length).toBeGreaterThan(3)
  })

  it('a leased key gets a new lease before it signs again', async () => {
    const { sdk, leases } = await openLeased({ ttlMs: 3_600_000 })
    const signed: { message: Uint8Array; receivedAt: number }[] = []
    for (const receivedAt of [NOON, NOON + byMs, NOON, NOON + byMs]) {
      vi.setSystemTime(receivedAt)
      signed.push({ message: (await sdk.create(payload('reading'))).message, receivedAt })
    }
    await sdk.close()
    expect(leases).toHaveLength(signed.length)
    const keyring = await readTrust({ signers: [{ name: 'plant', keys: [toHex(key.verifyingKey)] }] })
    for (const { message, receivedAt } of signed) {
      const { signedBy } = await verifyMessage(message, { keyring, leases, receivedAt })
      expect(signedBy).toMatchObject({ name: 'plant', time: 'received' })
    }
    await keyring.close()
  })

  it('a signed request is refused until the clock is right again', async () => {
    const request = { method: 'GET', url: 'https://api.example/a', headers: {} }
    const format = { format: 'rfc9421' } as const
    const headers = await signRequest(request, { ...format, signingKey: key.signingKey, keyId: 'k' })
    const body = new Uint8Array(0)
    const checking = { ...format, keys: { k: key.verifyingKey }, body }
    const verify = () => verifyRequest({ ...request, headers }, checking)
    set()
    await expect(verify()).rejects.toMatchObject({ code: 'SIGNATURE_INVALID' })
    vi.setSystemTime(NOON)
    expect(await verify()).toMatchObject({ keyId: 'k' })
  })
})
