// @internal: most defaults show only after minutes, or after thousands of messages
// @own-process: it stops the clock
// @node-only: it stops the clock, and the order that it shows is the same in every engine

import { openSdk } from 'alvarium-sdk'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { readMqttOptions, readReceiveOptions } from '../../dist/transport/streams/mqtt/options.js'
import { readOutboxOptions } from '../../dist/transport/streams/outbox/options.js'
import { readGroupOptions } from '../../dist/verifying/consume/group.js'
import { readConsumeOptions } from '../../dist/verifying/consume/options.js'
import { utf8 } from '../support/bytes.js'
import { codeOf } from '../support/failure.js'
import { key } from '../support/sdk.js'
import { stopTimers } from '../support/turns.js'

describe('an omitted option', () => {
  // claim: delivery-29, delivery-30
  it('of outbox() has the default value that the guide states', () => {
    expect(readOutboxOptions({ stream: { publish: () => {} }, store: 'a' })).toMatchObject({
      streamTimeoutMs: 300_000,
      closeTimeoutMs: 5_000,
      maxAgeMs: Number.MAX_SAFE_INTEGER,
      whenFull: 'reject',
      whenRefused: 'drop',
    })
  })

  // claim: verifying-14, verifying-19, verifying-20
  it('of subscribe() has the default value that the guide states', () => {
    const dedup = { max: 100_000, ttlMs: 3_600_000, timeoutMs: 10_000 }
    expect(readConsumeOptions({ dedup: {} })).toMatchObject({
      ack: 'next',
      dedup,
      deadLetterTimeoutMs: 60_000,
      closeTimeoutMs: 5_000,
    })
    expect(readConsumeOptions({}).dedup).toBeUndefined()
  })

  // claim: verifying-24
  it('of groups() has the default value that the guide states', () => {
    expect(readGroupOptions()).toEqual({ max: 256, maxMs: 100 })
  })
})

describe('the omitted options of mqtt()', () => {
  const where = { url: 'ws://127.0.0.1:1', topic: 't' }
  const connecting = { qos: 1, keepAliveSeconds: 60, connectTimeoutMs: 10_000, tls: {} }

  it('have the default values for publishing that their docstrings state', () => {
    const { clientId, ...settings } = readMqttOptions(where)
    expect(settings).toEqual({
      url: [where.url],
      topic: ['t'],
      ...connecting,
      retain: false,
      maxInFlight: 64,
      publishTimeoutMs: 30_000,
      closeTimeoutMs: 5_000,
      sendContentType: false,
      whenFull: 'reject',
      maxQueuedMessages: 10_000,
      maxQueuedBytes: 64 * 1024 * 1024,
    })
    expect(clientId).toMatch(/^alvarium-[0-9a-f]{16}$/)
    expect(readMqttOptions(where).clientId).not.toBe(clientId)
  })

  // claim: verifying-21
  it('have the default values for receiving that their docstrings state', () => {
    const { clientId, ...settings } = readReceiveOptions({ ...where, durable: false })
    expect(settings).toEqual({ url: [where.url], topic: ['t'], ...connecting, clean: true, prefetch: 64 })
    expect(clientId).toMatch(/^alvarium-[0-9a-f]{16}$/)
    expect(readReceiveOptions({ ...where, clientId: 'a' }).clean).toBe(false)
    expect(readReceiveOptions({ ...where, qos: 0 }).clean).toBe(true)
  })
})

// claim: config-3
it('close() of an SDK waits at most 30 s by default, and then rejects the calls that have not ended', async () => {
  const stream = { publish: () => new Promise(() => {}) }
  const sdk = await openSdk({ signingKey: key.signingKey, annotators: [], stream })
  await stopTimers()
  onTestFinished(() => void vi.useRealTimers())
  const settled = vi.fn()
  const call = codeOf(() => sdk.create(utf8('a'))).finally(settled)
  const closing = sdk.close()
  await vi.advanceTimersByTimeAsync(29_999)
  expect(settled).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  expect(await call).toBe('STREAM_CLOSED')
  await closing
})
