// @own-process: it stops the clock
// @node-only: it stops the clock, and the order that it shows is the same in every engine

import {
  generateKey,
  memory,
  openSdk,
  type Signer,
  signBytes,
  source,
  verifyBatch,
  verifyMessage,
} from 'alvarium-sdk'
import { type LeasedOptions, leased, readLease } from 'alvarium-sdk/trust'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { codeOf, failure } from '../support/failure.js'
import { openLeased } from '../support/leased.js'
import { key } from '../support/sdk.js'
import { trustOf } from '../support/trust.js'
import { until } from '../support/until.js'

const payload = utf8('21.4')
const HOUR = 3_600_000

describe('an SDK whose key is leased', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now: Date.UTC(2026, 10, 20, 10) })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('calls its signer only once for all bundles, and anyone who has the lease can verify them', async () => {
    const { sdk, leases, hsm } = await openLeased({ name: 'line 4', kinds: ['src'] })
    const receipts = await Promise.all([sdk.create(payload), sdk.create(payload), sdk.transit(payload)])
    const [batched] = await sdk.createMany([payload, payload])
    await sdk.close()
    expect(hsm.asked).toBe(1)
    const options = { keyring: await trustOf(), leases, receivedAt: Date.now() }
    for (const { message } of receipts) {
      const { signedBy } = await verifyMessage(message, { ...options, payload })
      expect(signedBy).toMatchObject({ id: key.keyId, name: 'gateway-1', lease: { name: 'line 4' } })
    }
    const bundles = await verifyBatch(batched?.message as Uint8Array, options)
    expect(bundles.map(({ signedBy }) => signedBy?.name)).toEqual(['gateway-1', 'gateway-1'])
  })

  it('sends its first message only after onLease has accepted the lease', async () => {
    const order: string[] = []
    const { sdk } = await openLeased({
      onLease: async () => {
        await Promise.resolve()
        order.push('lease')
      },
    })
    await sdk.create(payload).then(() => order.push('message'))
    await sdk.close()
    expect(order).toEqual(['lease', 'message'])
  })

  // claim: trust-23
  it('renews its lease before the lease ends, and a message signed while two leases are valid verifies with either of them', async () => {
    const { sdk, leases } = await openLeased({ renewBeforeMs: HOUR / 4 })
    const trust = await trustOf()
    const { message: first } = await sdk.create(payload)
    await vi.advanceTimersByTimeAsync((3 / 4) * HOUR - 2000)
    expect(leases).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(2000)
    await until(() => leases.length === 2)
    const { message: second } = await sdk.create(payload)
    await vi.advanceTimersByTimeAsync(HOUR / 2)
    const { message: third } = await sdk.create(payload)
    await sdk.close()
    expect(new Set(leases.map((lease) => readLease(lease).keyId)).size).toBe(1)
    const told = (message: Uint8Array, some: readonly Uint8Array[]) =>
      verifyMessage(message, { keyring: trust, leases: some }).then(
        ({ signedBy }) => signedBy?.name,
        ({ code }) => code,
      )
    const [one, other] = leases.map((lease) => [lease])
    expect(await told(first, one ?? [])).toBe('gateway-1')
    expect(await told(second, one ?? [])).toBe('gateway-1')
    expect(await told(second, other ?? [])).toBe('gateway-1')
    expect(await told(third, other ?? [])).toBe('gateway-1')
    expect(await told(third, one ?? [])).toBe('SIGNER_EXPIRED')
    expect(await told(third, leases)).toBe('gateway-1')
  })

  // claim: trust-24
  it('keeps signing until its lease ends if its signer fails, and then rejects calls until the signer works again', async () => {
    const warned: string[] = []
    const warn = (_: object, text: string) => warned.push(text)
    const nothing = () => undefined
    const logger = { debug: nothing, info: nothing, warn, error: nothing }
    const { sdk, leases, hsm } = await openLeased({ logger })
    hsm.isAway = true
    await vi.advanceTimersByTimeAsync(HOUR - 3000)
    await sdk.create(payload)
    expect(warned.length).toBeGreaterThan(1)
    await vi.advanceTimersByTimeAsync(3000)
    const error = await failure(() => sdk.create(payload))
    expect(error.code).toBe('SIGNER_FAILED')
    expect(error.message).toContain('the HSM is away')
    const other = utf8('20.1')
    expect(await codeOf(() => sdk.createMany([other, other]))).toBe('SIGNER_FAILED')
    hsm.isAway = false
    vi.setSystemTime(Date.now() + 1000)
    const { message } = await sdk.create(payload)
    expect(leases).toHaveLength(2)
    // Bundles that were not sealed, for lack of a lease, are not in this batch.
    const [many] = await sdk.createMany([payload])
    await sdk.close()
    const options = { keyring: await trustOf(), leases, payload }
    expect((await verifyMessage(message, options)).signedBy?.name).toBe('gateway-1')
    expect((await verifyMessage(many?.message as Uint8Array, options)).signedBy?.name).toBe('gateway-1')
  })

  // claim: trust-54
  it('calls the signer at most once a second for any number of calls without a lease', async () => {
    const { sdk, leases, hsm } = await openLeased()
    hsm.isAway = true
    vi.setSystemTime(Date.now() + HOUR)
    const asked = hsm.asked
    const calls = () => Promise.all([1, 2, 3].map(() => codeOf(() => sdk.create(payload))))
    for (let second = 1; second <= 20; second++) {
      for (const _ of [1, 2]) expect(await calls()).toEqual(Array(3).fill('SIGNER_FAILED'))
      expect(hsm.asked).toBe(asked + second)
      vi.setSystemTime(Date.now() + 1000)
    }
    hsm.isAway = false
    await Promise.all([sdk.create(payload), sdk.create(payload)])
    expect(hsm.asked).toBe(asked + 21)
    expect(leases).toHaveLength(2)
    await sdk.close()
  })

  // claim: trust-55
  it('that batches its calls rejects the calls after its lease has ended, and accepts them again under a new lease', async () => {
    const { sdk, leases } = await openLeased({}, { batch: { maxBundles: 1, maxDelayMs: 1 } })
    vi.setSystemTime(Date.now() + 5 * HOUR)
    expect(await codeOf(() => sdk.create(payload))).toBe('SIGNER_FAILED')
    await until(() => leases.length === 2)
    await sdk.create(payload)
    await sdk.close()
  })

  it('renews its lease at once on a machine that slept past the end of the lease', async () => {
    const { sdk, leases } = await openLeased()
    vi.setSystemTime(Date.now() + 5 * HOUR)
    const { message } = await sdk.create(payload)
    await sdk.close()
    const options = { keyring: await trustOf(), leases, receivedAt: Date.now() }
    expect((await verifyMessage(message, options)).signedBy?.name).toBe('gateway-1')
  })

  /**
   * Makes calls at these times of a lease of ten seconds, in a batch with room for all. Returns their outcomes, and
   * the sizes of the batches that verify.
   */
  async function batchedAt(times: readonly number[], options: Partial<LeasedOptions>) {
    const [begin, stream, told] = [Date.now(), memory(), [] as string[]]
    const batch = { maxBundles: 1000, maxDelayMs: 20_000 }
    const { sdk, leases } = await openLeased({ ttlMs: 10_000, ...options }, { stream, batch })
    for (const [at, ms] of times.entries()) {
      await vi.advanceTimersByTimeAsync(begin + ms - Date.now())
      sdk.create(payload).then(
        () => told.push(`${at} ok`),
        ({ code }) => told.push(`${at} ${code}`),
      )
    }
    await vi.advanceTimersByTimeAsync(1000)
    await sdk.close()
    const trust = await trustOf()
    const sizes = stream.messages.map(async (message) => {
      return (await verifyBatch(message, { keyring: trust, leases, receivedAt: Date.now() })).length
    })
    return { told: told.sort(), sizes: await Promise.all(sizes), leases: leases.length }
  }

  it('signs the open batch when its lease is renewed, so that one lease covers the time of the whole batch', async () => {
    const { told, sizes, leases } = await batchedAt([5000, 6000, 8500, 9800], {})
    expect(leases).toBe(2)
    expect(told).toEqual(['0 ok', '1 ok', '2 ok', '3 ok'])
    expect(sizes).toEqual([2, 2])
  })

  it('signs the open batch before its lease ends, and opens no batch while it has no lease', async () => {
    const { told, sizes } = await batchedAt([6900, 8200, 8600, 9600], { renewBeforeMs: 0 })
    // The failed call requests the next lease.
    expect(told).toEqual(['0 ok', '1 SIGNER_FAILED', '2 ok', '3 ok'])
    expect(sizes).toEqual([1, 2])
  })

  it('signs no batch whose lease ended while the machine slept', async () => {
    const { sdk } = await openLeased({}, { batch: { maxBundles: 1000, maxDelayMs: 20_000 } })
    const code = codeOf(() => sdk.create(payload))
    vi.setSystemTime(Date.now() + 5 * HOUR)
    await vi.advanceTimersByTimeAsync(20_000)
    expect(await code).toBe('SIGNER_FAILED')
    await sdk.close()
  })

  it('does not call its signer again after it is closed', async () => {
    const { sdk, hsm } = await openLeased()
    await sdk.close()
    await vi.advanceTimersByTimeAsync(5 * HOUR)
    expect(hsm.asked).toBe(1)
    expect(vi.getTimerCount()).toBe(0)
  })

  // claim: trust-22
  it('is not opened if its signer does not sign the first lease, or if onLease rejects that lease', async () => {
    const stream = memory()
    const away: Signer = {
      verifyingKey: key.verifyingKey,
      sign: () => Promise.reject(new Error('the HSM is away')),
    }
    const open = (signer: Signer, onLease: LeasedOptions['onLease'] = () => undefined) =>
      openSdk({ signingKey: leased(signer, { onLease }), annotators: [source()], stream })
    expect((await failure(() => open(away))).message).toContain('the HSM is away')
    const refuses = () => Promise.reject(new Error('the disk is full'))
    const good: Signer = { ...away, sign: (identity) => signBytes(key.signingKey, identity) }
    const error = await failure(() => open(good, refuses))
    expect(error.code).toBe('SIGNER_FAILED')
    expect(error.message).toBe('onLease: expected the lease to be accepted, got: the disk is full')
    // The stream is not in use, and can be opened again.
    await (await open(good)).close()
  })

  it('waits for onLease no longer than its time limit', async () => {
    const onLease = vi.fn(() => new Promise(() => undefined))
    const opening = openLeased({ onLease, signerTimeoutMs: 5000 })
    const code = codeOf(() => opening)
    await until(() => onLease.mock.calls.length === 1)
    await vi.advanceTimersByTimeAsync(5000)
    expect(await code).toBe('SIGNER_FAILED')
  })
})

it.each<[string, Partial<LeasedOptions> | undefined]>([
  ['leased.onLease', { onLease: 5 as unknown as () => void }],
  ['leased.ttlMs', { ttlMs: 9_999 }],
  ['leased.renewBeforeMs', { ttlMs: 10_000, renewBeforeMs: 10_000 }],
  ['leased.ttl', { ttl: 5 } as Partial<LeasedOptions>],
])('leased() throws immediately for an option that cannot work: %s', async (path, options) => {
  const error = await failure(() =>
    leased(generateKey().signingKey, { onLease: () => undefined, ...options }),
  )
  expect(error.code).toBe('CONFIG_INVALID')
  expect(error.message).toMatch(new RegExp(`^${path.replace('.', '\\.')}: `))
})

it('openSdk rejects limits that a lease cannot state', async () => {
  const signingKey = leased(key.signingKey, { onLease: () => undefined, kinds: ['\\'] })
  expect(await codeOf(() => openSdk({ signingKey, annotators: [], stream: memory() }))).toBe('CONFIG_INVALID')
})
