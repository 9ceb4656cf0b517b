import { describe, expect, it } from 'vitest'
import { backoff } from '../../dist/base/time/backoff.js'
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

  it('knows how many members it has, at whichever end they came', () => {
    const chain = new Chain<typeof a>()
    chain.append(b)
    chain.prepend(a)
    chain.append(c)
    expect([chain.size, [...chain].map(({ name }) => name)]).toEqual([3, ['a', 'b', 'c']])
    for (const member of [b, b, a]) chain.remove(member)
    expect([chain.size, [...chain]]).toEqual([1, [c]])
    chain.remove(c)
    expect(chain.size).toBe(0)
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

  // claim: verifying-21
  it('are what their docstrings say, to receive', () => {
    const { clientId, ...settings } = readReceiveOptions({ ...where, durable: false })
    expect(settings).toEqual({ url: [where.url], topic: ['t'], ...connecting, clean: true, prefetch: 64 })
    expect(clientId).toMatch(/^alvarium-[0-9a-f]{16}$/)
    expect(readReceiveOptions({ ...where, clientId: 'a' }).clean).toBe(false)
    expect(readReceiveOptions({ ...where, qos: 0 }).clean).toBe(true)
  })
})

describe('the options of a subscription', () => {
  const where = { url: 'ws://127.0.0.1:1', clientId: 'a' }

  it.each(['#', '+', '+/+/#', 'a/#', '+/b', 'abc/+/def', 'a//b', '/', '/a', 'a/', 'abc/def/#'])(
    'take the topic filter %s',
    (topic) => {
      expect(readReceiveOptions({ ...where, topic }).topic).toEqual([topic])
    },
  )

  it.each(['a#', '#a', '##', '#/a', 'a/#/b', 'a/b#', 'a+', '+a', 'a+/b', 'a/+b', 'a/b+/c', 'a/++'])(
    'do not take the topic filter %s',
    (topic) => {
      expect(() => readReceiveOptions({ ...where, topic })).toThrow(
        `topic.0: expected a topic filter with + and # only as whole levels, # last, got "${topic}"`,
      )
    },
  )

  it('are not to be kept without a name, nor with QoS 0, which nobody keeps', () => {
    const failing = (message: string) =>
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(message) })
    const nameless = { url: where.url, topic: 't' }
    expect(() => readReceiveOptions(nameless)).toThrow(
      failing("clientId: expected a name of this subscriber's own"),
    )
    expect(() => readReceiveOptions({ ...nameless, qos: 0 })).not.toThrow()
    expect(() => readReceiveOptions({ ...where, topic: 't', qos: 0, durable: true })).toThrow(
      failing('durable: expected false with qos 0, which no broker keeps, got true'),
    )
  })
})
