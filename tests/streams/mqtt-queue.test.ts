// @own-process: it stops the clock
// @node-only: it stops the clock, and the order that it shows is the same in every engine

import { AlvariumError } from 'alvarium-sdk'
import { describe, expect, it, vi } from 'vitest'
import { utf8 as bytes } from '../support/bytes.js'
import { codes } from '../support/codes.js'
import { Connection, eager, queueOptions, queueWith, withStoppedClock } from '../support/queues.js'

describe('the queue of an mqtt stream', () => {
  withStoppedClock()

  it('releases the bytes of a message that was accepted or given up', async () => {
    const queue = queueWith()
    const connection = new Connection(10)
    queue.attach(connection)
    const ending = new AbortController()
    const all = codes([queue.add(bytes('a')), queue.add(bytes('b'), { signal: ending.signal })])
    connection.answers[0]?.()
    ending.abort()
    await all
    expect(connection.messages.map(({ message }) => message.length)).toEqual([0, 0])
  })

  it('does not copy a message that fills its ArrayBuffer', async () => {
    const queue = queueWith()
    const message = bytes('a')
    const connection = new Connection(1)
    queue.attach(connection)
    void codes([queue.add(message)])
    expect(connection.messages[0]?.message).toBe(message)
  })

  it('accepts no message from a caller whose signal has aborted', async () => {
    const queue = queueWith()
    const connection = new Connection(1)
    queue.attach(connection)
    const signal = AbortSignal.abort(new Error('never mind'))
    await expect(queue.add(bytes('a'), { signal })).rejects.toThrow('never mind')
    expect([connection.sent, queue.stats().queued]).toEqual([[], 0])
  })

  it('refuses an invalid signal, and neither stores nor sends the message', async () => {
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

  describe('at its limit', () => {
    it('accepts the last message that fits, and refuses the next, with the limit in the error', async () => {
      const queue = queueWith({ maxQueuedMessages: 3 })
      const taken = codes(['a', 'b', 'c'].map((one) => queue.add(bytes(one))))
      await expect(queue.add(bytes('d'))).rejects.toMatchObject({
        code: 'QUEUE_FULL',
        message: 'mqtt: expected at most 3 messages waiting for the broker, got 4',
      })
      queue.attach(eager())
      expect(await taken).toEqual(['accepted', 'accepted', 'accepted'])
    })

    it('accepts the last byte that fits, and refuses the next, with the limit in the error', async () => {
      const queue = queueWith({ maxQueuedBytes: 25 })
      const taken = codes([10, 15].map((length) => queue.add(new Uint8Array(length))))
      await expect(queue.add(new Uint8Array(1))).rejects.toMatchObject({
        code: 'QUEUE_FULL',
        message: 'mqtt: expected at most 25 bytes waiting for the broker, got 26',
      })
      queue.attach(eager())
      expect(await taken).toEqual(['accepted', 'accepted'])
    })

    it('accepts as many bytes as were freed, and no more', async () => {
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

  describe('at its limit, with calls that wait', () => {
    // claim: delivery-4
    it('sends messages in order when there is room, and refuses only messages that would never fit', async () => {
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

    it('accepts a waiting message that fills its whole capacity', async () => {
      const queue = queueWith({ whenFull: 'wait', maxQueuedBytes: 10 })
      const connection = new Connection(10)
      queue.attach(connection)
      const all = codes([queue.add(bytes('a')), queue.add(new Uint8Array(10))])
      connection.answers[0]?.()
      connection.answers[1]?.()
      expect(await all).toEqual(['accepted', 'accepted'])
    })

    it('removes a waiting message that was given up, and never sends it', async () => {
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

    it('never sends a shorter message before a longer one that waits for room', async () => {
      const queue = queueWith({ whenFull: 'wait', maxQueuedBytes: 3 })
      const connection = new Connection(10)
      queue.attach(connection)
      const all = codes(['aa', 'bb', 'c'].map((one) => queue.add(bytes(one))))
      expect(connection.sent).toEqual(['aa'])
      for (let answered = 0; answered < 3; answered++) connection.answers[answered]?.()
      expect(connection.sent).toEqual(['aa', 'bb', 'c'])
      expect(await all).toEqual(['accepted', 'accepted', 'accepted'])
    })

    // claim: threats-52
    it('gives up a message on abort or timeout, and then accepts the next waiting message', async () => {
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

    it('rejects all messages when the queue is cleared', async () => {
      const queue = queueWith({ whenFull: 'wait', maxQueuedMessages: 1 })
      const all = codes(['a', 'b', 'c'].map((one) => queue.add(bytes(one))))
      queue.clear(Object.assign(new Error('closed'), { code: 'STREAM_CLOSED' }) as never)
      expect(await all).toEqual(['STREAM_CLOSED', 'STREAM_CLOSED', 'STREAM_CLOSED'])
    })
  })

  describe('with a caller that waits for room', () => {
    it('resolves ready() as soon as there is room', async () => {
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

    it('does not resolve ready() if another message fills the queue again', async () => {
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

    it('resolves ready() when a waiting message is given up, and accepts the next messages', async () => {
      const queue = queueWith({ whenFull: 'wait', maxQueuedBytes: 10 })
      const connection = new Connection(10)
      queue.attach(connection)
      const controller = new AbortController()
      const all = codes([
        queue.add(new Uint8Array(6)),
        queue.add(new Uint8Array(7), { signal: controller.signal }),
        queue.add(bytes('b')),
      ])
      const ready = queue.ready()
      const room = queue.hasRoom({ messages: 1, bytes: 3 })
      expect(room).not.toBe(true)
      controller.abort(Object.assign(new Error('enough'), { code: 'given up' }))
      await Promise.all([ready, room])
      expect(connection.sent.at(-1)).toBe('b')
      expect(queue.hasRoom({ messages: 1, bytes: 3 })).toBe(true)
      for (const answer of connection.answers) answer()
      expect(await all).toEqual(['accepted', 'given up', 'accepted'])
    })

    it('rejects ready() when the queue is cleared', async () => {
      const queue = queueWith({ maxQueuedMessages: 1 })
      queue.add(bytes('a')).catch(() => {})
      const ready = queue.ready()
      queue.clear(Object.assign(new Error('closed'), { code: 'STREAM_CLOSED' }) as never)
      await expect(ready).rejects.toMatchObject({ code: 'STREAM_CLOSED' })
    })
  })
})
