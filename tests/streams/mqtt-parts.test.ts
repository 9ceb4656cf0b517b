import { describe, expect, it } from 'vitest'
import { backoff } from '../../dist/streams/mqtt/backoff.js'
import { Chain } from '../../dist/streams/mqtt/chain.js'
import { Handover } from '../../dist/streams/mqtt/handover.js'
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

describe('a handover', () => {
  const end = { done: true, value: undefined }
  const item = (value: string) => ({ done: false, value })
  /** A handover, and what it has told its producer to be done with. */
  function fresh() {
    const handover = new Handover<string>()
    const finished: string[] = []
    const give = (value: string) => handover.give(value, () => finished.push(value))
    return { handover, finished, give }
  }

  it('tells the producer when the consumer has finished with an item, once', async () => {
    const { handover, finished, give } = fresh()
    give('a')
    expect(await handover.take()).toEqual(item('a'))
    expect(finished).toEqual([])
    const next = handover.take()
    expect(finished).toEqual(['a'])
    give('b')
    expect(await next).toEqual(item('b'))
    void handover.take()
    void handover.take()
    expect(finished).toEqual(['a', 'b'])
  })

  it('is full while an item waits, and while the consumer has one in hand', async () => {
    const { handover, give } = fresh()
    expect(handover.full).toBe(false)
    give('a')
    expect(handover.full).toBe(true)
    await handover.take()
    expect(handover.full).toBe(true)
    const next = handover.take()
    expect(handover.full).toBe(false)
    give('b')
    await next
    expect(handover.full).toBe(true)
    handover.end()
    expect(handover.full).toBe(false)
  })

  it('keeps the producer going while consumers wait, in the order in which they asked', async () => {
    const { handover, finished, give } = fresh()
    const [first, second] = [handover.take(), handover.take()]
    give('a')
    expect(finished).toEqual(['a'])
    give('b')
    expect(finished).toEqual(['a'])
    expect([await first, await second]).toEqual([item('a'), item('b')])
  })

  it('ends for all who wait and all who ask later, and finishes nothing more', async () => {
    const { handover, finished, give } = fresh()
    give('in hand')
    await handover.take()
    give('not taken')
    handover.end()
    expect(await handover.take()).toEqual(end)
    give('too late')
    expect(await handover.take()).toEqual(end)
    expect(finished).toEqual([])
  })

  it('ends with an error once, and then without', async () => {
    const { handover } = fresh()
    const [first, second] = [handover.take(), handover.take()]
    handover.end(new Error('no more'))
    handover.end(new Error('another reason'))
    await expect(first).rejects.toThrow('no more')
    expect(await second).toEqual(end)
    expect(await handover.take()).toEqual(end)
  })

  it('keeps an error for who asks first', async () => {
    const { handover, give } = fresh()
    give('not taken')
    handover.end(new Error('no more'))
    await expect(handover.take()).rejects.toThrow('no more')
    expect(await handover.take()).toEqual(end)
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
    const { clientId, ...settings } = readReceiveOptions(where)
    expect(settings).toEqual({ url: [where.url], topic: ['t'], ...connecting, clean: true })
    expect(clientId).toMatch(/^alvarium-[0-9a-f]{16}$/)
  })
})
