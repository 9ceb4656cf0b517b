import { AlvariumError } from 'alvarium-sdk'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
// What it does with a connection's window, down to the order of packets, brokers only show by chance.
import type { Sink } from '../../dist/streams/mqtt/flight.js'
import { utf8 as bytes, textOf as text } from '../support/bytes.js'
import { codes } from '../support/codes.js'
import { quiet } from '../support/deferred.js'
import { Connection, queueOptions, queueWith } from '../support/queues.js'

const lost = new Error('lost')

/** A connection whose broker takes everything at once, as it is with QoS 0. */
const eager = (window = 1): Sink => ({ window, send: (_topic, _letter, done) => done(), drop: () => {} })

describe('the queue', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('hands on exactly the bytes of the message, since mqtt.js clones the whole buffer under a view', async () => {
    const queue = queueWith()
    const lengths: number[] = []
    const send: Sink['send'] = (_topic, { message }, done) => {
      lengths.push(message.buffer.byteLength)
      done()
    }
    queue.attach({ ...eager(), send })
    await queue.add(new Uint8Array(1_000_000).subarray(10, 15))
    expect(lengths).toEqual([5])
  })

  it('does not copy a message that has its buffer to itself', async () => {
    const queue = queueWith()
    const message = bytes('a')
    const connection = new Connection(1)
    queue.attach(connection)
    void codes([queue.add(message)])
    expect(connection.letters[0]?.message).toBe(message)
  })

  it('takes nothing for a caller who has left before', async () => {
    const queue = queueWith()
    const connection = new Connection(1)
    queue.attach(connection)
    const signal = AbortSignal.abort(new Error('never mind'))
    await expect(queue.add(bytes('a'), { signal })).rejects.toThrow('never mind')
    expect([connection.sent, queue.stats().queued]).toEqual([[], 0])
  })

  it('refuses what is no signal, and keeps and sends nothing of the message', async () => {
    const queue = queueWith()
    const connection = new Connection(1)
    queue.attach(connection)
    for (const signal of [{}, 'abort']) {
      await expect(queue.add(bytes('a'), { signal: signal as AbortSignal })).rejects.toThrow(TypeError)
    }
    expect(queue.stats()).toMatchObject({ queued: 0, bytes: 0 })
    await vi.advanceTimersByTimeAsync(2 * queueOptions.publishTimeoutMs)
    queue.clear(new AlvariumError('STREAM_CLOSED', 'closed'))
    expect(connection.sent).toEqual([])
  })

  describe('when it is as full as it may be', () => {
    it('has taken the last message that fits, and refuses the next, saying how many that would be', async () => {
      const queue = queueWith({ maxQueuedMessages: 3 })
      const taken = codes(['a', 'b', 'c'].map((one) => queue.add(bytes(one))))
      await expect(queue.add(bytes('d'))).rejects.toMatchObject({
        code: 'QUEUE_FULL',
        message: 'mqtt: expected at most 3 messages waiting for the broker, got 4',
      })
      queue.attach(eager())
      expect(await taken).toEqual(['accepted', 'accepted', 'accepted'])
    })

    it('has taken the last byte that fits, and refuses the next, saying how many that would be', async () => {
      const queue = queueWith({ maxQueuedBytes: 25 })
      const taken = codes([10, 15].map((length) => queue.add(new Uint8Array(length))))
      await expect(queue.add(new Uint8Array(1))).rejects.toMatchObject({
        code: 'QUEUE_FULL',
        message: 'mqtt: expected at most 25 bytes waiting for the broker, got 26',
      })
      queue.attach(eager())
      expect(await taken).toEqual(['accepted', 'accepted'])
    })

    it('takes as many bytes again as have gone', async () => {
      const queue = queueWith({ maxQueuedBytes: 25 })
      const connection = new Connection(10)
      queue.attach(connection)
      const all = codes([10, 15].map((length) => queue.add(new Uint8Array(length))))
      connection.answers[0]?.()
      await expect(queue.add(new Uint8Array(11))).rejects.toMatchObject({ code: 'QUEUE_FULL' })
      const next = queue.add(new Uint8Array(10))
      connection.answers[1]?.()
      connection.answers[2]?.()
      expect(await all).toEqual(['accepted', 'accepted'])
      await next
    })
  })

  describe('when it is as full as it may be, and calls are to wait', () => {
    it('sends them in order as there is room, and refuses only what would never fit', async () => {
      const queue = queueWith({ whenFull: 'wait', maxQueuedMessages: 2, maxQueuedBytes: 10 })
      const connection = new Connection(10)
      queue.attach(connection)
      const all = codes(['a', 'b', 'c', 'd'].map((one) => queue.add(bytes(one))))
      await expect(queue.add(new Uint8Array(11))).rejects.toMatchObject({ code: 'QUEUE_FULL' })
      expect(connection.sent).toEqual(['a', 'b'])
      expect(queue.stats()).toMatchObject({ queued: 4, waitingForRoom: 2, bytes: 2, inFlight: 2 })
      for (let answered = 0; answered < 4; answered++) connection.answers[answered]?.()
      expect(connection.sent).toEqual(['a', 'b', 'c', 'd'])
      expect(await all).toEqual(['accepted', 'accepted', 'accepted', 'accepted'])
    })

    it('lets one wait that is as long as all room there is', async () => {
      const queue = queueWith({ whenFull: 'wait', maxQueuedBytes: 10 })
      const connection = new Connection(10)
      queue.attach(connection)
      const all = codes([queue.add(bytes('a')), queue.add(new Uint8Array(10))])
      connection.answers[0]?.()
      connection.answers[1]?.()
      expect(await all).toEqual(['accepted', 'accepted'])
    })

    it('counts one that was given up outside as if it had not been there', async () => {
      const queue = queueWith({ whenFull: 'wait', maxQueuedMessages: 1 })
      const connection = new Connection(10)
      queue.attach(connection)
      const controller = new AbortController()
      const all = codes([queue.add(bytes('a')), queue.add(bytes('b'), { signal: controller.signal })])
      controller.abort(Object.assign(new Error('enough'), { code: 'given up' }))
      expect(queue.stats()).toMatchObject({ queued: 1, waitingForRoom: 0, bytes: 1 })
      const last = codes([queue.add(bytes('c'))])
      expect(connection.sent).toEqual(['a'])
      connection.answers[0]?.()
      connection.answers[1]?.()
      expect([...(await all), ...(await last)]).toEqual(['accepted', 'given up', 'accepted'])
      expect(connection.sent).toEqual(['a', 'c'])
    })

    it('lets none that is shorter overtake one that waits', async () => {
      const queue = queueWith({ whenFull: 'wait', maxQueuedBytes: 3 })
      const connection = new Connection(10)
      queue.attach(connection)
      const all = codes(['aa', 'bb', 'c'].map((one) => queue.add(bytes(one))))
      expect(connection.sent).toEqual(['aa'])
      for (let answered = 0; answered < 3; answered++) connection.answers[answered]?.()
      expect(connection.sent).toEqual(['aa', 'bb', 'c'])
      expect(await all).toEqual(['accepted', 'accepted', 'accepted'])
    })

    it('gives each up in its time, and lets the next in when one is given up', async () => {
      const queue = queueWith({ whenFull: 'wait', maxQueuedMessages: 1 })
      const connection = new Connection(10)
      queue.attach(connection)
      const controller = new AbortController()
      const all = codes([queue.add(bytes('a'), { signal: controller.signal }), queue.add(bytes('b'))])
      const last = codes([queue.add(bytes('c'))])
      controller.abort(Object.assign(new Error('enough'), { code: 'given up' }))
      expect(connection.sent).toEqual(['a', 'b'])
      await vi.advanceTimersByTimeAsync(1_000)
      expect([...(await all), ...(await last)]).toEqual(['given up', 'STREAM_TIMEOUT', 'STREAM_TIMEOUT'])
    })

    it('rejects all of them when it is cleared', async () => {
      const queue = queueWith({ whenFull: 'wait', maxQueuedMessages: 1 })
      const all = codes(['a', 'b', 'c'].map((one) => queue.add(bytes(one))))
      queue.clear(Object.assign(new Error('closed'), { code: 'STREAM_CLOSED' }) as never)
      expect(await all).toEqual(['STREAM_CLOSED', 'STREAM_CLOSED', 'STREAM_CLOSED'])
    })
  })

  describe('when somebody waits for room', () => {
    it('tells them as soon as there is some', async () => {
      const queue = queueWith({ maxQueuedMessages: 1 })
      await queue.ready()
      const connection = new Connection(1)
      queue.attach(connection)
      void queue.add(bytes('a'))
      let isReady = false
      const ready = queue.ready().then(() => {
        isReady = true
      })
      await Promise.resolve()
      expect(isReady).toBe(false)
      connection.answers[0]?.()
      await ready
    })

    it('tells nobody while another takes the room that there is', async () => {
      const queue = queueWith({ whenFull: 'wait', maxQueuedMessages: 1 })
      const connection = new Connection(10)
      queue.attach(connection)
      void codes([queue.add(bytes('a')), queue.add(bytes('b'))])
      let isReady = false
      const ready = queue.ready().then(() => {
        isReady = true
      })
      connection.answers[0]?.()
      await vi.advanceTimersByTimeAsync(0)
      expect(isReady).toBe(false)
      connection.answers[1]?.()
      await ready
    })

    it('rejects when it is cleared', async () => {
      const queue = queueWith({ maxQueuedMessages: 1 })
      queue.add(bytes('a')).catch(() => {})
      const ready = queue.ready()
      queue.clear(Object.assign(new Error('closed'), { code: 'STREAM_CLOSED' }) as never)
      await expect(ready).rejects.toMatchObject({ code: 'STREAM_CLOSED' })
    })
  })

  describe('when it is asked for figures', () => {
    it('says how long things took, whenever they began', async () => {
      await vi.advanceTimersByTimeAsync(5_000)
      const queue = queueWith()
      const connection = new Connection(10)
      queue.attach(connection)
      void codes([queue.add(bytes('a')), queue.add(bytes('b'))])
      await vi.advanceTimersByTimeAsync(100)
      connection.answers[0]?.()
      expect(queue.stats()).toMatchObject({ oldestMs: 100, acknowledge: { sumMs: 100, maxMs: 100 } })
    })

    it('counts no answer to what was given up before', async () => {
      const queue = queueWith()
      const connection = new Connection(10)
      queue.attach(connection)
      const all = codes([queue.add(bytes('a')), queue.add(bytes('b'))])
      await vi.advanceTimersByTimeAsync(1_000)
      connection.answers[0]?.()
      connection.answers[1]?.(new Error('refused'))
      expect(await all).toEqual(['STREAM_TIMEOUT', 'STREAM_TIMEOUT'])
      expect(queue.stats()).toMatchObject({ acknowledged: 0, refused: 0, timedOut: 2, inFlight: 0 })
    })

    it('has counted what became of each message', async () => {
      const queue = queueWith()
      const connection = new Connection(10)
      queue.attach(connection)
      const all = codes(['a', 'b', 'c', 'd'].map((one) => queue.add(bytes(one))))
      await vi.advanceTimersByTimeAsync(100)
      connection.answers[0]?.()
      connection.answers[1]?.(Object.assign(new Error('no'), { code: 'refused' }))
      expect([queue.isEmpty, queue.flight.size, queue.flight.usualMs]).toEqual([false, 2, 100])
      expect(queue.stats()).toMatchObject({ queued: 2, bytes: 2, oldestMs: 100, inFlight: 2 })
      queue.detach(lost)
      const after = new Connection(10)
      queue.attach(after)
      await vi.advanceTimersByTimeAsync(900)
      await all
      expect([queue.isEmpty, queue.flight.size]).toEqual([true, 2])
      expect(queue.stats()).toMatchObject({
        ...{ queued: 0, waitingForRoom: 0, bytes: 0, oldestMs: 0, inFlight: 2 },
        ...{ acknowledged: 1, refused: 1, timedOut: 2, resent: 2, lastError: 'lost' },
        acknowledge: { count: 2, sumMs: 200, maxMs: 100, p50Ms: 100, p99Ms: 100 },
      })
    })
  })

  describe('when the window of the connection is full', () => {
    it('sends one more for each that the broker answers, in order', () => {
      const queue = queueWith()
      const connection = new Connection(2)
      queue.attach(connection)
      void codes(['a', 'b', 'c', 'd'].map((one) => queue.add(bytes(one))))
      expect(connection.sent).toEqual(['a', 'b'])
      connection.answers[1]?.()
      expect(connection.sent).toEqual(['a', 'b', 'c'])
      connection.answers[0]?.(new Error('refused'))
      expect(connection.sent).toEqual(['a', 'b', 'c', 'd'])
    })

    it('does not send what was given up while it waited', async () => {
      const queue = queueWith()
      const connection = new Connection(1)
      queue.attach(connection)
      const controller = new AbortController()
      const all = codes([
        queue.add(bytes('a')),
        queue.add(bytes('b'), { signal: controller.signal }),
        queue.add(bytes('c')),
      ])
      controller.abort(Object.assign(new Error('enough'), { code: 'given up' }))
      connection.answers[0]?.()
      expect(connection.sent).toEqual(['a', 'c'])
      connection.answers[1]?.()
      expect(await all).toEqual(['accepted', 'given up', 'accepted'])
    })

    it('keeps the place of what was given up on its way: the broker still counts it', () => {
      const queue = queueWith()
      const connection = new Connection(1)
      queue.attach(connection)
      const controller = new AbortController()
      void codes([queue.add(bytes('a'), { signal: controller.signal }), queue.add(bytes('b'))])
      controller.abort()
      expect(connection.sent).toEqual(['a'])
      connection.answers[0]?.()
      expect(connection.sent).toEqual(['a', 'b'])
    })
  })

  describe('when there are several topics', () => {
    it('has published when the last of them has the message', async () => {
      const queue = queueWith({ topic: ['one', 'other'] })
      const connection = new Connection(10)
      queue.attach(connection)
      let published = false
      const publish = queue.add(bytes('a')).then(() => {
        published = true
      })
      connection.answers[0]?.()
      connection.answers[0]?.()
      await Promise.resolve()
      expect(published).toBe(false)
      connection.answers[1]?.()
      await publish
    })

    it('rejects when one of them is refused, and the other then changes nothing', async () => {
      const queue = queueWith({ topic: ['one', 'other'], maxQueuedMessages: 1 })
      const connection = new Connection(10)
      queue.attach(connection)
      const publish = queue.add(bytes('a'))
      connection.answers[0]?.(new Error('refused'))
      await expect(publish).rejects.toThrow('refused')
      const next = queue.add(bytes('b'))
      connection.answers[1]?.()
      await expect(queue.add(bytes('c'))).rejects.toMatchObject({ code: 'QUEUE_FULL' })
      connection.answers[2]?.()
      connection.answers[3]?.()
      await next
    })
  })

  describe('when there are several topics, and none takes the message', () => {
    it('makes room once', async () => {
      const queue = queueWith({ topic: ['one', 'other'], maxQueuedMessages: 1 })
      const connection = new Connection(10)
      queue.attach(connection)
      const refused = codes([queue.add(bytes('a'))])
      for (const answer of connection.answers) answer(Object.assign(new Error('no'), { code: 'refused' }))
      expect(await refused).toEqual(['refused'])
      expect(queue.stats()).toMatchObject({ queued: 0, bytes: 0, refused: 1 })
      void codes([queue.add(bytes('b'))])
      await expect(queue.add(bytes('c'))).rejects.toMatchObject({ code: 'QUEUE_FULL' })
    })
  })

  describe('when the connection is lost', () => {
    it('sends what was not answered again, in the order of before, and then what waited', async () => {
      const queue = queueWith()
      const before = new Connection(4)
      queue.attach(before)
      const all = codes(['a', 'b', 'c', 'd', 'e', 'f'].map((one) => queue.add(bytes(one))))
      before.answers[1]?.()
      expect(before.sent).toEqual(['a', 'b', 'c', 'd', 'e'])
      queue.detach(lost)
      const after = new Connection(100)
      queue.attach(after)
      expect(after.sent).toEqual(['a', 'c', 'd', 'e', 'f'])
      for (const answer of after.answers) answer()
      expect(await all).toEqual(Array(6).fill('accepted'))
    })

    it('does not send what was given up again', async () => {
      const queue = queueWith()
      queue.attach(new Connection(2))
      const controller = new AbortController()
      const all = codes([queue.add(bytes('a'), { signal: controller.signal }), queue.add(bytes('b'))])
      controller.abort(Object.assign(new Error('enough'), { code: 'given up' }))
      queue.detach(lost)
      const after = new Connection(2)
      queue.attach(after)
      expect(after.sent).toEqual(['b'])
      after.answers[0]?.()
      expect(await all).toEqual(['given up', 'accepted'])
    })

    it('does not listen to it any more', async () => {
      const queue = queueWith()
      const [before, after] = [new Connection(1), new Connection(1)]
      queue.attach(before)
      const publish = queue.add(bytes('a'))
      queue.detach(lost)
      queue.attach(after)
      before.answers[0]?.(new Error('from the old one'))
      after.answers[0]?.()
      await publish
    })

    it('rejects with QoS 0 what was on its way, and keeps what had not been sent', async () => {
      const queue = queueWith({ qos: 0 })
      queue.attach(new Connection(1))
      const [sent, waiting] = [queue.add(bytes('a')), queue.add(bytes('b'))]
      queue.detach(lost)
      const message = 'mqtt: the connection was lost before the message was sent: lost'
      await expect(sent).rejects.toMatchObject({ code: 'STREAM_LOST', message, cause: lost })
      const after = new Connection(1)
      queue.attach(after)
      expect(after.sent).toEqual(['b'])
      after.answers[0]?.()
      await waiting
    })
  })

  describe('when the broker takes everything at once', () => {
    it('sends any number of messages that have waited', async () => {
      const queue = queueWith({ qos: 0, maxQueuedMessages: 10_000, maxQueuedBytes: 10_000 })
      const all = codes(Array.from({ length: 10_000 }, () => queue.add(new Uint8Array(1))))
      queue.attach(eager())
      expect(new Set(await all)).toEqual(new Set(['accepted']))
    })

    it('goes on after one that cannot be sent', async () => {
      const queue = queueWith()
      const all = codes(['a', 'b', 'c'].map((one) => queue.add(bytes(one))))
      const send: Sink['send'] = (_topic, { message }, done) => {
        if (text(message) === 'b') throw Object.assign(new Error('too long'), { code: 'refused' })
        done()
      }
      queue.attach({ ...eager(), send })
      expect(await all).toEqual(['accepted', 'refused', 'accepted'])
    })
  })

  describe('when the broker does not answer in time', () => {
    it('gives up each message after its own publishTimeoutMs', async () => {
      const queue = queueWith()
      queue.attach(new Connection(10))
      const outcomes: string[] = []
      const publish = (name: string) =>
        queue.add(bytes(name)).catch(({ code, message }) => outcomes.push(`${name}: ${code} ${message}`))
      publish('a')
      await vi.advanceTimersByTimeAsync(400)
      publish('b')
      await vi.advanceTimersByTimeAsync(599)
      expect(outcomes).toEqual([])
      const text = 'STREAM_TIMEOUT mqtt: expected the broker to accept the message within 1000 ms'
      await vi.advanceTimersByTimeAsync(1)
      expect(outcomes).toEqual([`a: ${text}`])
      await vi.advanceTimersByTimeAsync(399)
      expect(outcomes).toHaveLength(1)
      await vi.advanceTimersByTimeAsync(1)
      expect(outcomes).toEqual([`a: ${text}`, `b: ${text}`])
      publish('c')
      await vi.advanceTimersByTimeAsync(1_000)
      expect(outcomes).toEqual([`a: ${text}`, `b: ${text}`, `c: ${text}`])
    })

    it('says why there is no connection, if there is none', async () => {
      const queue = queueWith()
      queue.attach(new Connection(10))
      queue.detach(lost)
      const publish = expect(queue.add(bytes('a'))).rejects.toMatchObject({
        code: 'STREAM_TIMEOUT',
        message: expect.stringMatching(/, the broker is not connected: lost$/),
        cause: lost,
      })
      await vi.advanceTimersByTimeAsync(1_000)
      await publish
    })

    it('says so too when there was never one', async () => {
      const queue = queueWith()
      const publish = expect(queue.add(bytes('a'))).rejects.toMatchObject({
        code: 'STREAM_TIMEOUT',
        message: expect.stringMatching(/within 1000 ms, the broker is not connected yet$/),
      })
      await vi.advanceTimersByTimeAsync(1_000)
      await publish
    })

    it('cuts a connection whose window is full of what was given up', async () => {
      const queue = queueWith()
      const connection = new Connection(2)
      queue.attach(connection)
      const all = codes([queue.add(bytes('a')), queue.add(bytes('b'))])
      await vi.advanceTimersByTimeAsync(1_000)
      expect(await all).toEqual(['STREAM_TIMEOUT', 'STREAM_TIMEOUT'])
      expect(connection.drop).toHaveBeenCalledOnce()
      expect(connection.drop).toHaveBeenCalledWith(
        new Error('the broker acknowledged none of 2 messages in time'),
      )
    })

    it('leaves a connection alone on which another message may still be answered', async () => {
      const queue = queueWith()
      const connection = new Connection(2)
      queue.attach(connection)
      const first = codes([queue.add(bytes('a'))])
      await vi.advanceTimersByTimeAsync(1)
      const second = codes([queue.add(bytes('b'))])
      await vi.advanceTimersByTimeAsync(999)
      expect(await first).toEqual(['STREAM_TIMEOUT'])
      expect(connection.drop).not.toHaveBeenCalled()
      connection.answers[1]?.()
      expect(await second).toEqual(['accepted'])
      await vi.advanceTimersByTimeAsync(1_000)
      expect(connection.drop).not.toHaveBeenCalled()
    })

    it('leaves a connection alone on which the broker still answers, though everything on it was given up', async () => {
      const queue = queueWith()
      const connection = new Connection(3)
      queue.attach(connection)
      const all = codes(['a', 'b', 'c'].map((one) => queue.add(bytes(one))))
      await vi.advanceTimersByTimeAsync(800)
      connection.answers[0]?.()
      const late = codes([queue.add(bytes('d'))])
      await vi.advanceTimersByTimeAsync(200)
      expect(await all).toEqual(['accepted', 'STREAM_TIMEOUT', 'STREAM_TIMEOUT'])
      await vi.advanceTimersByTimeAsync(300)
      connection.answers[1]?.()
      await vi.advanceTimersByTimeAsync(500)
      expect(await late).toEqual(['STREAM_TIMEOUT'])
      expect(connection.drop).not.toHaveBeenCalled()
    })

    it.each([
      [2_001, 'leaves a connection alone'],
      [2_000, 'cuts a connection'],
    ])('answered last after %i ms of 3,000, %s over what was given up then', async (answeredAfter, does) => {
      const queue = queueWith({ publishTimeoutMs: 3_000 })
      const connection = new Connection(2)
      queue.attach(connection)
      const controller = new AbortController()
      const all = codes(['a', 'b'].map((one) => queue.add(bytes(one))))
      await vi.advanceTimersByTimeAsync(answeredAfter)
      connection.answers[1]?.()
      const third = codes([queue.add(bytes('c'), { signal: controller.signal })])
      controller.abort(Object.assign(new Error('enough'), { code: 'given up' }))
      await vi.advanceTimersByTimeAsync(3_000 - answeredAfter)
      expect([...(await all), ...(await third)]).toEqual(['STREAM_TIMEOUT', 'accepted', 'given up'])
      expect(connection.sent).toEqual(['a', 'b', 'c'])
      expect(connection.drop).toHaveBeenCalledTimes(does === 'cuts a connection' ? 1 : 0)
    })

    it.each([
      [500, ['a', 'b']],
      [501, ['b', 'a']],
    ])('after %i ms of 600, of which it wants 100 to be left, sends %j', async (waited, order) => {
      const queue = queueWith({ publishTimeoutMs: 600 })
      void codes([queue.add(bytes('a'))])
      await vi.advanceTimersByTimeAsync(waited)
      void codes([queue.add(bytes('b'))])
      const connection = new Connection(10)
      queue.attach(connection)
      expect(connection.sent).toEqual(order)
    })

    it('sends what has little time left after what has more, and still sends it', async () => {
      const queue = queueWith()
      const all = codes(['a', 'b'].map((one) => queue.add(bytes(one))))
      await vi.advanceTimersByTimeAsync(900)
      const fresh = codes([queue.add(bytes('c'))])
      const connection = new Connection(10)
      queue.attach(connection)
      expect(connection.sent).toEqual(['c', 'a', 'b'])
      for (const answer of connection.answers) answer()
      expect([...(await all), ...(await fresh)]).toEqual(['accepted', 'accepted', 'accepted'])
    })

    it('leaves a connection alone whose window has room', async () => {
      const queue = queueWith()
      const connection = new Connection(3)
      queue.attach(connection)
      const all = codes([queue.add(bytes('a')), queue.add(bytes('b'))])
      await vi.advanceTimersByTimeAsync(1_000)
      expect(await all).toEqual(['STREAM_TIMEOUT', 'STREAM_TIMEOUT'])
      expect(connection.drop).not.toHaveBeenCalled()
    })
  })

  describe('when it is waited for until it is empty', () => {
    it('is, if nothing waits', async () => {
      await queueWith().drained(1_000)
      expect(vi.getTimerCount()).toBe(0)
    })

    it('is with the last answer, and leaves no timer for it', async () => {
      const queue = queueWith()
      const connection = new Connection(10)
      queue.attach(connection)
      void codes([queue.add(bytes('a')), queue.add(bytes('b'))])
      let drained = false
      const draining = queue.drained(60_000).then(() => {
        drained = true
      })
      const before = vi.getTimerCount()
      connection.answers[0]?.()
      await Promise.resolve()
      expect(drained).toBe(false)
      connection.answers[1]?.()
      await draining
      expect(vi.getTimerCount()).toBe(before - 1)
    })

    it('is given up after so long', async () => {
      const queue = queueWith({ publishTimeoutMs: 60_000 })
      void queue.add(bytes('a'))
      let waits = true
      void queue.drained(500).then(() => {
        waits = false
      })
      await vi.advanceTimersByTimeAsync(499)
      expect(waits).toBe(true)
      await vi.advanceTimersByTimeAsync(1)
      expect(waits).toBe(false)
    })
  })

  describe('when it is cleared', () => {
    it('rejects what is left, sends no more and leaves no timer', async () => {
      const queue = queueWith()
      const connection = new Connection(1)
      queue.attach(connection)
      const all = codes([queue.add(bytes('a')), queue.add(bytes('b'))])
      queue.clear(Object.assign(new Error('closed'), { code: 'STREAM_CLOSED' }) as never)
      expect(await all).toEqual(['STREAM_CLOSED', 'STREAM_CLOSED'])
      connection.answers[0]?.()
      expect(connection.sent).toEqual(['a'])
      expect(vi.getTimerCount()).toBe(0)
    })

    it('gives up in time also what comes later', async () => {
      const queue = queueWith()
      const first = codes([queue.add(bytes('a'))])
      queue.clear(Object.assign(new Error('closed'), { code: 'STREAM_CLOSED' }) as never)
      const second = codes([queue.add(bytes('b'))])
      await vi.advanceTimersByTimeAsync(1_000)
      expect([await first, await second]).toEqual([['STREAM_CLOSED'], ['STREAM_TIMEOUT']])
    })
  })
})

// Only where a collection can be asked for: in Node, see vitest.config.ts, and in Chromium.
describe.runIf('gc' in globalThis)('the memory of a message', () => {
  it('is let go when it is given up, even if its place in the window is not', async () => {
    const queue = queueWith()
    queue.attach({ ...eager(), send: () => {} })
    const giveUp = async () => {
      const message = new Uint8Array(100)
      const controller = new AbortController()
      const publish = queue.add(message, { signal: controller.signal })
      controller.abort()
      await publish.catch(() => {})
      return new WeakRef(message)
    }
    const memory = await giveUp()
    await quiet()
    globalThis.gc?.()
    expect(memory.deref()).toBeUndefined()
    queue.detach(lost)
  })
})
