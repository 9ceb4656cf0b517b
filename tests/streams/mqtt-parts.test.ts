import { describe, expect, it } from 'vitest'
import { backoff } from '../../dist/base/backoff.js'
import { Chain } from '../../dist/streams/mqtt/chain.js'
import { readMqttOptions, readReceiveOptions } from '../../dist/streams/mqtt/options.js'

describe('the time before the next attempt to connect', () => {
  it('doubles with each failure, up to 30 seconds', () => {
    expect([0, 1, 2, 3, 7, 8, 100].map((failures) => backoff(failures, 0))).toEqual([
      200, 400, 800, 1_600, 25_600, 30_000, 30_000,
    ])
  })

  it('is as long as it may be at the most', () => {
    expect([0, 5, 100].map((failures) => backoff(failures, 0, 5_000))).toEqual([200, 5_000, 5_000])
  })

  it('is spread over its second half', () => {
    expect(backoff(3, 0.5)).toBe(1_200)
    expect(backoff(3, 1)).toBe(800)
  })
})

describe('a chain', () => {
  const member = (name: string) => ({ name, before: undefined, after: undefined, chain: undefined })
  const [a, b, c] = [member('a'), member('b'), member('c')]

  it('lets any member leave, wherever it stands, and more than once', () => {
    const chain = new Chain<typeof a>()
    chain.append(b)
    chain.append(c)
    chain.prepend(a)
    chain.remove(b)
    chain.remove(b)
    expect(chain.first).toBe(a)
    chain.remove(a)
    expect(chain.first).toBe(c)
    chain.remove(c)
    expect(chain.first).toBeUndefined()
  })
})

describe('the options of mqtt that are not given', () => {
  const where = { url: 'ws://127.0.0.1:1', topic: 't' }
  const connecting = { qos: 1, keepAliveSeconds: 60, connectTimeoutMs: 10_000, tls: {} }

  it('are what their docstrings say, to publish', () => {
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

  it('are what their docstrings say, to receive', () => {
    const { clientId, ...settings } = readReceiveOptions({ ...where, durable: false })
    expect(settings).toEqual({ url: [where.url], topic: ['t'], ...connecting, clean: true, prefetch: 64 })
    expect(clientId).toMatch(/^alvarium-[0-9a-f]{16}$/)
    expect(readReceiveOptions({ ...where, clientId: 'a' }).clean).toBe(false)
    expect(readReceiveOptions({ ...where, qos: 0 }).clean).toBe(true)
  })
})
