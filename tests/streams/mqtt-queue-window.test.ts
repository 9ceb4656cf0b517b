// @own-process: it stops the clock
// @node-only: it stops the clock, and the order that it shows is the same in every engine

import { describe, expect, it } from 'vitest'
import { utf8 as bytes, textOf as text } from '../support/bytes.js'
import { codes } from '../support/codes.js'
import { Connection, eager, lost, type PacketSender, queueWith, withStoppedClock } from '../support/queues.js'

describe('the queue of an mqtt stream', () => {
  withStoppedClock()

  describe('with a full window', () => {
    it('sends one more message for each answer of the broker, in order', () => {
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

    it('keeps the place of a message in flight that was given up: the broker still counts that message', () => {
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

  describe('with a connection that is lost', () => {
    it('resends unanswered messages in their former order, and then sends the waiting ones', async () => {
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

    it('does not resend a message that was given up', async () => {
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

    it('no longer listens to the lost connection', async () => {
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

    it('rejects messages in flight with QoS 0, and still sends unsent ones', async () => {
      const queue = queueWith({ qos: 0 })
      queue.attach(new Connection(1))
      const [sent, waiting] = [queue.add(bytes('a')), queue.add(bytes('b'))]
      queue.detach(lost)
      const message = 'mqtt: the connection was lost, perhaps before the message was sent: lost'
      await expect(sent).rejects.toMatchObject({ code: 'STREAM_LOST', message, cause: lost })
      const after = new Connection(1)
      queue.attach(after)
      expect(after.sent).toEqual(['b'])
      after.answers[0]?.()
      await waiting
    })
  })

  describe('with a broker that accepts everything at once', () => {
    it('sends any number of waiting messages', async () => {
      const queue = queueWith({ qos: 0, maxQueuedMessages: 10_000, maxQueuedBytes: 10_000 })
      const all = codes(Array.from({ length: 10_000 }, () => queue.add(new Uint8Array(1))))
      queue.attach(eager())
      expect(new Set(await all)).toEqual(new Set(['accepted']))
    })

    it('continues after a message that cannot be sent', async () => {
      const queue = queueWith()
      const all = codes(['a', 'b', 'c'].map((one) => queue.add(bytes(one))))
      const send: PacketSender['send'] = (_topic, { message }, done) => {
        if (text(message) === 'b') throw Object.assign(new Error('too long'), { code: 'refused' })
        done()
      }
      queue.attach({ ...eager(), send })
      expect(await all).toEqual(['accepted', 'refused', 'accepted'])
    })
  })

  describe('with several topics', () => {
    it('resolves when the message is accepted for the last of the topics', async () => {
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

    it('rejects when one of two topics is refused, even if the second topic is accepted later', async () => {
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

  describe('with several topics, for each of which the broker refuses the message', () => {
    it('frees the place of the message in the queue only once', async () => {
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
})
