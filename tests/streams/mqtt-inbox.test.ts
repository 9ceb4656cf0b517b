// @internal: a subscription does not show when it reads on from its socket
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { Inbox, type IncomingMessage } from '../../dist/transport/streams/mqtt/inbox.js'
import { textOf, utf8 } from '../support/bytes.js'
import { quiet } from '../support/deferred.js'

const MIB = 1024 * 1024

const messageToAcknowledge = (text: string, more: Partial<IncomingMessage> = {}) => ({
  topic: 't',
  message: utf8(text),
  retain: false,
  dup: false,
  acknowledge: vi.fn(),
  ...more,
})
/** Returns a message with QoS 0. */
const free = (text: string) => messageToAcknowledge(text, { acknowledge: undefined })
const textsOf = (arrivals: readonly { readonly message: Uint8Array }[]) =>
  arrivals.map(({ message }) => textOf(message))

describe('the inbox of a subscription', () => {
  let inbox: Inbox
  beforeEach(() => {
    inbox = new Inbox(2)
  })

  /** Puts a message into the inbox. Returns a mock that is called when the next one may be read. */
  function put(incoming: IncomingMessage) {
    const readOn = vi.fn()
    inbox.put(incoming, readOn)
    return readOn
  }

  describe('with incoming messages', () => {
    it('delivers the messages in order, with their properties', async () => {
      put(messageToAcknowledge('a', { topic: 'x', retain: true }))
      put(messageToAcknowledge('b', { topic: 'y', dup: true }))
      const arrivals = await inbox.take()
      expect(textsOf(arrivals)).toEqual(['a', 'b'])
      expect(arrivals).toMatchObject([
        { topic: 'x', retain: true, dup: false, withdrawn: false },
        { topic: 'y', retain: false, dup: true, withdrawn: false },
      ])
    })

    it('delivers each message once', async () => {
      put(messageToAcknowledge('a'))
      await inbox.take()
      put(messageToAcknowledge('b'))
      expect(textsOf(await inbox.take())).toEqual(['b'])
    })

    it('delivers the messages of one chunk together to a waiting consumer', async () => {
      inbox = new Inbox(10)
      const taking = inbox.take()
      await quiet()
      put(messageToAcknowledge('a'))
      put(messageToAcknowledge('b'))
      await Promise.resolve()
      put(messageToAcknowledge('c'))
      expect(textsOf(await taking)).toEqual(['a', 'b', 'c'])
    })

    it('delivers its messages at once when it is full, without waiting for more', async () => {
      inbox = new Inbox(1)
      let given: string[] = []
      void inbox.take().then((arrivals) => {
        given = textsOf(arrivals)
      })
      put(messageToAcknowledge('a'))
      for (let turn = 0; turn < 5; turn++) await Promise.resolve()
      expect(given).toEqual(['a'])
    })
  })

  describe('with as many messages as prefetch allows', () => {
    it('resumes reading when one of the messages is settled, but not a second time when the next one is settled', async () => {
      expect(put(messageToAcknowledge('a'))).toHaveBeenCalledOnce()
      expect(inbox.full).toBe(false)
      const readOn = put(messageToAcknowledge('b'))
      expect(readOn).not.toHaveBeenCalled()
      expect(inbox.full).toBe(true)
      const [a, b] = await inbox.take()
      expect(readOn).not.toHaveBeenCalled()
      a?.ack()
      expect(inbox.full).toBe(false)
      b?.ack()
      expect(readOn).toHaveBeenCalledOnce()
    })

    it('frees the place of a message once, even if the message is acknowledged twice', async () => {
      put(messageToAcknowledge('a'))
      const [a] = await inbox.take()
      a?.ack()
      a?.ack()
      put(messageToAcknowledge('b'))
      expect(put(messageToAcknowledge('c'))).not.toHaveBeenCalled()
    })
  })

  describe('with four mebibytes of unsettled messages', () => {
    // claim: threats-59
    it('resumes reading when any message is settled, even if the longest message is still unsettled', async () => {
      inbox = new Inbox(100)
      const long = (length: number) => ({ ...messageToAcknowledge(''), message: new Uint8Array(length) })
      expect(put(long(4 * MIB - 1))).toHaveBeenCalledOnce()
      expect(inbox.full).toBe(false)
      const readOn = put(long(1))
      expect(inbox.full).toBe(true)
      expect(readOn).not.toHaveBeenCalled()
      const [, short] = await inbox.take()
      short?.ack()
      expect(readOn).toHaveBeenCalledOnce()
    })
  })

  describe('with a message that the consumer settles', () => {
    it('acknowledges the message if its QoS requires an acknowledgement', async () => {
      const incoming = messageToAcknowledge('a')
      put(incoming)
      put(free('b'))
      const arrivals = await inbox.take()
      for (const arrival of arrivals) arrival.ack()
      expect(incoming.acknowledge).toHaveBeenCalledOnce()
    })

    it('is empty when the last message is settled', async () => {
      await inbox.whenEmpty()
      put(messageToAcknowledge('a'))
      put(messageToAcknowledge('b'))
      let isEmpty = false
      const emptied = inbox.whenEmpty().then(() => {
        isEmpty = true
      })
      const [a, b] = await inbox.take()
      a?.ack()
      a?.ack()
      await quiet()
      expect(isEmpty).toBe(false)
      b?.ack()
      await emptied
    })
  })

  describe('with a message that the consumer rejects', () => {
    it('delivers the message again, after the waiting ones, and marks the message as redelivered', async () => {
      put(messageToAcknowledge('a'))
      const [a] = await inbox.take()
      put(messageToAcknowledge('b'))
      a?.nack()
      const again = await inbox.take()
      expect(textsOf(again)).toEqual(['b', 'a'])
      expect(again.map(({ dup }) => dup)).toEqual([false, true])
    })

    it('redelivers the message to a consumer that is already waiting', async () => {
      put(messageToAcknowledge('a'))
      const [a] = await inbox.take()
      const taking = inbox.take()
      a?.nack()
      expect(textsOf(await taking)).toEqual(['a'])
    })

    it('keeps the place of the message occupied until redelivery, and does not acknowledge the message', async () => {
      inbox = new Inbox(1)
      const incoming = messageToAcknowledge('a')
      const readOn = put(incoming)
      const [a] = await inbox.take()
      a?.nack()
      expect(incoming.acknowledge).not.toHaveBeenCalled()
      expect(readOn).not.toHaveBeenCalled()
    })

    it('does not deliver the message again if the consumer acknowledged it before the rejection', async () => {
      put(messageToAcknowledge('a'))
      const [a] = await inbox.take()
      a?.ack()
      a?.nack()
      put(messageToAcknowledge('b'))
      expect(textsOf(await inbox.take())).toEqual(['b'])
    })
  })

  describe('before the broker resends unacknowledged messages', () => {
    it('drops those messages, whether delivered or not, so that there is room for them', async () => {
      inbox = new Inbox(3)
      const incoming = messageToAcknowledge('a')
      put(incoming)
      const [a] = await inbox.take()
      put(messageToAcknowledge('b'))
      const readOn = put(free('c'))
      expect(readOn).not.toHaveBeenCalled()
      inbox.withdraw()
      expect(readOn).toHaveBeenCalledOnce()
      expect(a?.withdrawn).toBe(true)
      const left = await inbox.take()
      expect(textsOf(left)).toEqual(['c'])
      expect(left[0]?.withdrawn).toBe(false)
      // The packet id may belong to another message by now.
      a?.ack()
      expect(incoming.acknowledge).not.toHaveBeenCalled()
      a?.nack()
      left[0]?.ack()
      await inbox.whenEmpty()
    })
  })

  describe('after the subscription has ended', () => {
    it('delivers nothing more, neither to a waiting consumer nor to a later one', async () => {
      const waiting = inbox.take()
      inbox.end()
      expect(await waiting).toEqual([])
      expect(await inbox.take()).toEqual([])
    })

    it('does not acknowledge undelivered messages, and continues reading to notice the end of the connection', async () => {
      inbox = new Inbox(1)
      const incoming = messageToAcknowledge('a')
      const readOn = put(incoming)
      inbox.end()
      expect(readOn).toHaveBeenCalledOnce()
      expect(await inbox.take()).toEqual([])
      expect(incoming.acknowledge).not.toHaveBeenCalled()
    })

    it('does not acknowledge messages that arrive later', async () => {
      inbox.end()
      const incoming = messageToAcknowledge('a')
      expect(put(incoming)).toHaveBeenCalledOnce()
      expect(await inbox.take()).toEqual([])
      expect(incoming.acknowledge).not.toHaveBeenCalled()
      await inbox.whenEmpty()
    })

    it('still acknowledges messages that the consumer accepts, and does not acknowledge those that it rejects', async () => {
      const [done, undone] = [messageToAcknowledge('a'), messageToAcknowledge('b')]
      put(done)
      put(undone)
      const [a, b] = await inbox.take()
      inbox.end()
      a?.ack()
      b?.nack()
      expect(done.acknowledge).toHaveBeenCalledOnce()
      expect(undone.acknowledge).not.toHaveBeenCalled()
      expect(await inbox.take()).toEqual([])
    })
  })
})
