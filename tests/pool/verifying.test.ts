import {
  generateKey,
  Keyring,
  toHex,
  verifyBatch,
  verifyMessage,
  verifyMessages,
  type WorkerPool,
} from 'alvarium-sdk'
import { pool } from 'alvarium-sdk/pool'
import { readTrust } from 'alvarium-sdk/trust'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { codeOf, failure, typeError } from '../support/failure.js'
import { genuineMessages, payload } from '../support/messages.js'
import { key, keyring, opened } from '../support/sdk.js'

describe('verifying in a pool', () => {
  let workers: WorkerPool
  beforeAll(async () => {
    workers = await pool({ workers: 2 })
  })
  afterAll(() => workers.close())

  it('returns the same bundle as without a pool', async () => {
    for (const message of Object.values(await genuineMessages())) {
      const alone = await verifyMessage(message, { keyring, payload })
      expect(await verifyMessage(message, { keyring, payload, pool: workers })).toEqual(alone)
    }
  })

  it('returns the bundles of a batch', async () => {
    const { sdk } = await opened([])
    const receipts = await sdk.createMany([utf8('a'), utf8('b')])
    const message = receipts[0]?.message as Uint8Array
    const alone = await verifyBatch(message, { keyring })
    expect(await verifyBatch(message, { keyring, pool: workers })).toEqual(alone)
    for (const payload of [undefined, utf8('b')]) {
      const one = () => verifyMessage(message, { keyring, payload, pool: workers })
      expect(await codeOf(one)).toBe('MESSAGE_MALFORMED')
    }
  })

  it('refuses the same messages as without a pool, with the same errors', async () => {
    const { create } = await genuineMessages()
    const stranger = new Keyring([generateKey().verifyingKey])
    const cases: [Uint8Array, { keyring: Keyring; payload?: Uint8Array }][] = [
      [create, { keyring: stranger }],
      [create, { keyring, payload: utf8('another') }],
      [create, { keyring, payload: new Uint8Array(0) }],
      [utf8('{}'), { keyring }],
      [create.slice(0, -1), { keyring }],
    ]
    const outcomes = await Promise.allSettled(
      cases.map(([message, options]) => verifyMessage(message, { ...options, pool: workers })),
    )
    for (const [at, [message, options]] of cases.entries()) {
      const { code, message: text } = await failure(() => verifyMessage(message, options))
      expect(outcomes[at]).toMatchObject({ status: 'rejected', reason: { code, message: text } })
    }
  })

  it('applies a trust policy to the time at which the message was received', async () => {
    const { create } = await genuineMessages()
    const until = '2100-01-01T00:00:00Z'
    const policy = { signers: [{ name: 'device', keys: [toHex(key.verifyingKey)], until }] }
    const options = { keyring: await readTrust(policy), pool: workers }
    const verdictsAt = async (receivedAt: number) => {
      const outcomes = await verifyMessages([create, create], { ...options, receivedAt })
      return outcomes.map((one) =>
        one.status === 'fulfilled' ? one.value[0]?.signedBy?.time : one.reason.code,
      )
    }
    expect(await verdictsAt(Date.now())).toEqual(['received', 'received'])
    expect(await verdictsAt(Date.UTC(2101, 0))).toEqual(['SIGNER_EXPIRED', 'SIGNER_EXPIRED'])
  })

  it('compares each of several messages, verified at the same time, with its own payload', async () => {
    const { create } = await genuineMessages()
    const payloads = [payload, utf8('another'), payload, utf8('another')]
    for (const order of [payloads, payloads.toReversed()]) {
      const verified = order.map((one) =>
        verifyMessage(create, { keyring, payload: one, pool: workers }).then(
          () => 'verified',
          (error) => error.code,
        ),
      )
      const expected = order.map((one) => (one === payload ? 'verified' : 'PAYLOAD_MISMATCH'))
      expect(await Promise.all(verified)).toEqual(expected)
    }
  })

  it('refuses an empty message, even when a long message follows', async () => {
    await using worker = await pool({ workers: 1 })
    const { sdk, stream } = await opened([], { hash: 'none' })
    await sdk.create(new Uint8Array(65_536).fill(65))
    const long = stream.messages[0] as Uint8Array
    const outcomes = await verifyMessages([new Uint8Array(0), long], { keyring, pool: worker })
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
    await sdk.close()
  })

  it.each([{ maxQueuedCalls: 3 }, { maxQueuedBytes: 3000 }])(
    'accepts more messages than the queue of %o holds',
    async (limits) => {
      await using small = await pool({ workers: 1, ...limits })
      const { create } = await genuineMessages()
      const outcomes = await verifyMessages(Array(20).fill(create), { keyring, pool: small })
      expect(outcomes.map(({ status }) => status)).toEqual(Array(20).fill('fulfilled'))
    },
  )

  it('rejects the whole call if the pool is full or closed, even for many messages', async () => {
    const small = await pool({ workers: 1, maxQueuedCalls: 2 })
    const { create } = await genuineMessages()
    const busy = [1, 2].map(() => verifyMessage(create, { keyring, pool: small }))
    const many = (messages: Uint8Array[]) => codeOf(() => verifyMessages(messages, { keyring, pool: small }))
    expect(await many([create])).toBe('QUEUE_FULL')
    await Promise.all(busy)
    await small.close()
    expect(await many([create])).toBe('STREAM_CLOSED')
    expect(await many([utf8('{}'), create])).toBe('STREAM_CLOSED')
  })

  it('refuses a message that is not bytes or is too long', async () => {
    expect(
      (await typeError(() => verifyMessage('a' as never, { keyring, pool: workers }))).message,
    ).toContain('message')
    const long = new Uint8Array(17 * 1024 * 1024)
    expect(await codeOf(() => verifyMessage(long, { keyring, pool: workers }))).toBe('MESSAGE_MALFORMED')
  })

  it('trusts keys that were added to the keyring, and no removed keys', async () => {
    const { create } = await genuineMessages()
    const changing = new Keyring()
    const code = () => codeOf(() => verifyMessage(create, { keyring: changing, pool: workers }))
    expect(await code()).toBe('SIGNER_UNKNOWN')
    const keyId = changing.add(key.verifyingKey)
    await verifyMessage(create, { keyring: changing, pool: workers })
    changing.delete(keyId)
    expect(await code()).toBe('SIGNER_UNKNOWN')
  })

  it('works with more keyrings than a worker caches', async () => {
    const { create } = await genuineMessages()
    const rings = Array.from({ length: 60 }, () => new Keyring([key.verifyingKey]))
    for (let round = 0; round < 2; round++) {
      await Promise.all(rings.map((ring) => verifyMessage(create, { keyring: ring, pool: workers })))
    }
    await verifyMessage(create, { keyring: [key.verifyingKey], pool: workers })
  })
})
