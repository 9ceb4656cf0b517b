// @own-process: it stops the clock
// @node-only: it stops the clock, and the order that it shows is the same in every engine

import { describe, expect, it, vi } from 'vitest'
import { utf8 as bytes } from '../support/bytes.js'
import { codes } from '../support/codes.js'
import { quiet } from '../support/deferred.js'
import { Connection, eager, lost, queueWith, withStoppedClock } from '../support/queues.js'

describe('the queue of an mqtt stream', () => {
  withStoppedClock()

  describe('with a broker that answers late or not at all', () => {
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

    it('rejects a message at its timeout with the reason why the connection was lost', async () => {
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

    it('rejects a message at its timeout as "not connected" if no connection was ever made', async () => {
      const queue = queueWith()
      const publish = expect(queue.add(bytes('a'))).rejects.toMatchObject({
        code: 'STREAM_TIMEOUT',
        message: expect.stringMatching(/within 1000 ms, the broker is not connected yet$/),
      })
      await vi.advanceTimersByTimeAsync(1_000)
      await publish
    })

    it('cuts a connection whose window is full of messages that were given up', async () => {
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

    it('does not cut a connection on which another message may still be answered', async () => {
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

    it('does not cut a connection on which the broker still answers, though all messages were given up', async () => {
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
      [2_001, 'keeps the connection'],
      [2_000, 'cuts the connection'],
    ])(
      'after an answer %i ms into a timeout of 3,000 ms, %s when another message times out',
      async (answeredAfter, does) => {
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
        expect(connection.drop).toHaveBeenCalledTimes(does === 'cuts the connection' ? 1 : 0)
      },
    )

    it.each([
      [500, ['a', 'b']],
      [501, ['b', 'a']],
    ])(
      'sends two messages, of which the first has waited %i of 600 ms, in the order %j',
      async (waited, order) => {
        const queue = queueWith({ publishTimeoutMs: 600 })
        void codes([queue.add(bytes('a'))])
        await vi.advanceTimersByTimeAsync(waited)
        void codes([queue.add(bytes('b'))])
        const connection = new Connection(10)
        queue.attach(connection)
        expect(connection.sent).toEqual(order)
      },
    )

    it('sends messages that are close to their timeout after all others', async () => {
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

    it('keeps a connection on which messages time out while its window is not full', async () => {
      const queue = queueWith()
      const connection = new Connection(3)
      queue.attach(connection)
      const all = codes([queue.add(bytes('a')), queue.add(bytes('b'))])
      await vi.advanceTimersByTimeAsync(1_000)
      expect(await all).toEqual(['STREAM_TIMEOUT', 'STREAM_TIMEOUT'])
      expect(connection.drop).not.toHaveBeenCalled()
    })
  })
})

// Platforms with a callable garbage collector: Node, see vitest.config.ts, and Chromium.
describe.runIf('gc' in globalThis)('the memory of a message in the MQTT queue', () => {
  it('is released when the message is given up, even if the broker has not answered the message', async () => {
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
