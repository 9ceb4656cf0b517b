// @own-process: it stops the clock
// @node-only: it stops the clock, and the order that it shows is the same in every engine

import { describe, expect, it, vi } from 'vitest'
import { utf8 as bytes } from '../support/bytes.js'
import { codes } from '../support/codes.js'
import { Connection, lost, queueWith, withStoppedClock } from '../support/queues.js'

describe('the queue of an mqtt stream', () => {
  withStoppedClock()

  describe('with several messages', () => {
    it('measures the time between publishing a message and its acknowledgement', async () => {
      await vi.advanceTimersByTimeAsync(5_000)
      const queue = queueWith()
      const connection = new Connection(10)
      queue.attach(connection)
      void codes([queue.add(bytes('a')), queue.add(bytes('b'))])
      await vi.advanceTimersByTimeAsync(100)
      connection.answers[0]?.()
      expect(queue.stats()).toMatchObject({ oldestMs: 100, acknowledge: { sumMs: 100, maxMs: 100 } })
    })

    it('does not count an answer that arrives after its message was given up', async () => {
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

    it('counts the outcome of each message', async () => {
      const queue = queueWith()
      const connection = new Connection(10)
      queue.attach(connection)
      const all = codes(['a', 'b', 'c', 'd'].map((one) => queue.add(bytes(one))))
      await vi.advanceTimersByTimeAsync(100)
      connection.answers[0]?.()
      connection.answers[1]?.(Object.assign(new Error('no'), { code: 'refused' }))
      expect([queue.isEmpty, queue.inFlight.size, queue.inFlight.usualMs]).toEqual([false, 2, 100])
      expect(queue.stats()).toMatchObject({ queued: 2, bytes: 2, oldestMs: 100, inFlight: 2 })
      queue.detach(lost)
      const after = new Connection(10)
      queue.attach(after)
      await vi.advanceTimersByTimeAsync(900)
      await all
      expect([queue.isEmpty, queue.inFlight.size]).toEqual([true, 2])
      expect(queue.stats()).toMatchObject({
        queued: 0,
        waitingForRoom: 0,
        bytes: 0,
        oldestMs: 0,
        inFlight: 2,
        acknowledged: 1,
        refused: 1,
        timedOut: 2,
        resent: 2,
        lastError: 'lost',
        acknowledge: { count: 2, sumMs: 200, maxMs: 100, p50Ms: 100, p99Ms: 100 },
      })
    })
  })

  describe('when drained', () => {
    it('is done at once if no message waits', async () => {
      await queueWith().drained(1_000)
      expect(vi.getTimerCount()).toBe(0)
    })

    it('is done when the last message is answered, and leaves no timer', async () => {
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

    it('waits for its messages no longer than the given time', async () => {
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

  describe('when cleared', () => {
    it('rejects the remaining messages, sends nothing more and leaves no timer', async () => {
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

    it('accepts new messages, and rejects them after publishTimeoutMs if no connection is made', async () => {
      const queue = queueWith()
      const first = codes([queue.add(bytes('a'))])
      queue.clear(Object.assign(new Error('closed'), { code: 'STREAM_CLOSED' }) as never)
      const second = codes([queue.add(bytes('b'))])
      await vi.advanceTimersByTimeAsync(1_000)
      expect([await first, await second]).toEqual([['STREAM_CLOSED'], ['STREAM_TIMEOUT']])
    })
  })
})
