// @internal: a broker shows only after minutes how many messages the queue sends at a time
// @own-process: it stops the clock
// @node-only: it stops the clock, and the order that it shows is the same in every engine

import { beforeEach, describe, expect, it, vi } from 'vitest'
import { Chain } from '../../dist/transport/streams/mqtt/chain.js'
import { Pace } from '../../dist/transport/streams/mqtt/in-flight.js'
import { ReasonError, reasonBy } from '../../dist/transport/streams/mqtt/reasons.js'
import { utf8 as bytes } from '../support/bytes.js'
import { codes } from '../support/codes.js'
import { Connection, lost, queueWith, withStoppedClock } from '../support/queues.js'

/** Returns the error of a broker that ends a connection with a reason. */
const ended = (code: number) => new ReasonError(reasonBy(code))

describe('a queue whose connections end with messages in flight', () => {
  withStoppedClock()

  interface End {
    readonly reason?: Error
    readonly isCut?: boolean
    readonly atOnce?: boolean
  }

  /** Returns a queue whose connections the test replaces. */
  function reconnecting() {
    const queue = queueWith()
    let connection = new Connection(10)
    queue.attach(connection)
    return {
      queue,
      add: (...texts: string[]) => codes(texts.map((text) => queue.add(bytes(text)))),
      /** Loses the connection. Returns the messages sent over the next one. */
      next: ({ reason = lost, isCut, atOnce }: End = {}) => {
        queue.detach(reason, isCut)
        connection = new Connection(10)
        queue.attach(connection, atOnce)
        return connection.sent
      },
      answer: (at: number) => connection.answers[at]?.(),
      wait: (milliseconds: number) => void vi.advanceTimersByTime(milliseconds),
    }
  }
  type Reconnecting = ReturnType<typeof reconnecting>

  /** Returns a message that was lost twice among others and now alone, and the messages sent over the connection after that. */
  function lostAlone(given: Reconnecting, afterMs = 0) {
    const promise = given.queue.add(bytes('lost'))
    promise.catch(() => {})
    given.next()
    expect(given.next()).toEqual(['lost'])
    given.wait(afterMs)
    return { promise, sent: given.next() }
  }

  /** Gets another message accepted, and then tries the lost one. */
  function tryIt({ add, answer, wait }: Reconnecting, sent: readonly string[]) {
    const at = sent.length
    void add('other')
    answer(at)
    wait(170)
    expect(sent.slice(at)).toEqual(['other', 'lost'])
  }

  it('resends messages one at a time after the second loss, and at each further loss moves the message in flight to the end', async () => {
    const { add, next, answer } = reconnecting()
    const all = add('a', 'b', 'c')
    expect(next()).toEqual(['a', 'b', 'c'])
    const alone = next()
    expect(alone).toEqual(['a'])
    answer(0)
    expect(alone).toEqual(['a', 'b'])
    const later = add('later')
    expect(alone).toEqual(['a', 'b'])
    const after = next()
    expect(after).toEqual(['c'])
    answer(0)
    expect(after).toEqual(['c', 'later'])
    answer(1)
    expect(await later).toEqual(['accepted'])
    vi.advanceTimersByTime(200)
    expect(after).toEqual(['c', 'later', 'b'])
    answer(2)
    expect(await all).toEqual(['accepted', 'accepted', 'accepted'])
  })

  it('ignores a late acknowledgement from a lost connection if the message was already resent', () => {
    const queue = queueWith()
    const [before, after] = [new Connection(10), new Connection(10)]
    queue.attach(before)
    void queue.add(bytes('a'))
    queue.detach(lost)
    queue.attach(after)
    before.answers[0]?.()
    expect([queue.isEmpty, after.sent]).toEqual([false, ['a']])
    after.answers[0]?.()
    expect([queue.isEmpty, queue.stats().acknowledged]).toEqual([true, 1])
  })

  it('refuses a message if it was the only one in flight when three connections were lost', async () => {
    const given = reconnecting()
    const { promise, sent } = lostAlone(given)
    tryIt(given, sent)
    for (let times = 1; times < 3; times++) tryIt(given, given.next())
    expect(given.next()).toEqual([])
    await expect(promise).rejects.toMatchObject({
      code: 'STREAM_SUSPECT',
      message:
        'mqtt: expected the broker to accept 4 bytes for "t", but the connection ended each of the 6 times that they were sent, and other messages were accepted in between: lost',
      cause: lost,
    })
    expect(given.queue.stats()).toMatchObject({ refused: 1, acknowledged: 3 })
  })

  it('does not resend a message that timed out while there was no connection', async () => {
    const queue = queueWith()
    queue.attach(new Connection(10))
    const published = codes([queue.add(bytes('lost'))])
    for (let times = 0; times < 2; times++) {
      queue.detach(lost)
      queue.attach(new Connection(10))
    }
    queue.detach(lost)
    vi.advanceTimersByTime(1_000)
    expect(await published).toEqual(['STREAM_TIMEOUT'])
    const back = new Connection(10)
    queue.attach(back)
    vi.advanceTimersByTime(1_000)
    expect(back.sent).toEqual([])
  })

  // claim: delivery-45
  it('refuses no message while the broker has accepted no other, however often connections are lost', async () => {
    const given = reconnecting()
    const { promise, sent } = lostAlone(given)
    for (let times = 0; times < 5; times++) {
      const on = times === 0 ? sent : given.next()
      given.wait(170)
      expect(on).toEqual(['lost'])
    }
    given.wait(1_000)
    await expect(promise).rejects.toMatchObject({ code: 'STREAM_TIMEOUT' })
  })

  it('does not resend a suspected message until the new connection has lasted twice as long as the lost one', () => {
    const given = reconnecting()
    const { sent } = lostAlone(given, 50)
    void given.add('other')
    given.answer(0)
    given.wait(99)
    expect(sent).toEqual(['other'])
    given.wait(1)
    expect(sent).toEqual(['other', 'lost'])
  })

  it('sends a suspected message when no other is in flight, even if others are waiting', () => {
    const given = reconnecting()
    const { sent } = lostAlone(given)
    void given.add('a', 'b')
    given.wait(170)
    expect(sent).toEqual(['a', 'b'])
    given.answer(0)
    void given.add('c')
    expect(sent).toEqual(['a', 'b'])
    given.answer(1)
    expect(sent).toEqual(['a', 'b', 'lost'])
    given.answer(2)
    expect(sent).toEqual(['a', 'b', 'lost', 'c'])
  })

  it('resets the count of losses of a suspected message when a connection ends without that message in flight', () => {
    const given = reconnecting()
    const { sent } = lostAlone(given)
    tryIt(given, sent)
    tryIt(given, given.next())
    expect(given.next()).toEqual([])
    void given.add('other')
    expect(given.next()).toEqual(['lost'])
    const again = given.next()
    given.answer(0)
    tryIt(given, again)
    tryIt(given, given.next())
    given.next()
    expect(given.queue.stats()).toMatchObject({ refused: 0, queued: 1 })
  })

  it.each<[string, [End, End]]>([
    ['the SDK has cut the connection', [{ isCut: true }, {}]],
    ['the broker cannot be reached again at once', [{}, { atOnce: false }]],
    ['the broker shuts down', [{ reason: ended(0x8b) }, {}]],
    ['the broker is busy', [{ reason: ended(0x89) }, {}]],
    ['the broker reports an exceeded quota', [{ reason: ended(0x97) }, {}]],
    ['another client takes over the session', [{ reason: ended(0x8e) }, {}]],
  ])('suspects no message of causing the loss when %s', (_, [end, back]) => {
    const { add, next } = reconnecting()
    void add('a', 'b')
    for (let times = 0; times < 4; times++) expect(next({ ...end, ...back })).toEqual(['a', 'b'])
    expect(next()).toEqual(['a', 'b'])
    expect(next()).toEqual(['a'])
  })

  it.each([0x80, 0x81, 0x82, 0x83])(
    'suspects the messages in flight of causing the loss when the broker sends reason code %i',
    (code) => {
      const { add, next } = reconnecting()
      void add('a', 'b')
      next({ reason: ended(code) })
      expect(next({ reason: ended(code) })).toEqual(['a'])
    },
  )

  it('counts no loss for a connection that was replaced before it ended, or that the SDK cut', () => {
    const { queue, add, next } = reconnecting()
    void add('a', 'b')
    expect(next()).toEqual(['a', 'b'])
    const connection = new Connection(10)
    queue.attach(connection)
    expect(next({ isCut: true })).toEqual(['a', 'b'])
  })

  it('sends several messages at a time again when the broker has accepted the suspected message', async () => {
    const { add, next, answer } = reconnecting()
    const all = add('a')
    next()
    const sent = next()
    const others = add('b', 'c')
    expect(sent).toEqual(['a'])
    answer(0)
    expect(sent).toEqual(['a', 'b', 'c'])
    answer(1)
    answer(2)
    expect([...(await all), ...(await others)]).toEqual(['accepted', 'accepted', 'accepted'])
  })

  it('sends suspected messages one by one, before messages that were published later', () => {
    const { add, next, answer } = reconnecting()
    void add('a', 'b')
    next()
    const sent = next()
    answer(0)
    void add('c')
    expect(sent).toEqual(['a', 'b'])
    answer(1)
    expect(sent).toEqual(['a', 'b', 'c'])
  })
})

describe('a queue whose broker ends a connection because of a message', () => {
  withStoppedClock()
  const tooLarge = ended(0x95)

  it('refuses the only message in flight, with the reason of the broker', async () => {
    const queue = queueWith()
    queue.attach(new Connection(10))
    const publish = expect(queue.add(bytes('abc'))).rejects.toMatchObject({
      code: 'STREAM_REFUSED',
      message:
        'mqtt: expected the broker to accept 3 bytes for "t", got: the broker ended the connection: Packet too large (reason code 0x95)',
      cause: tooLarge,
    })
    queue.detach(tooLarge)
    await publish
    expect(queue.stats()).toMatchObject({ queued: 0, refused: 1 })
  })

  it('resends messages that were in flight together one by one, until the cause is found', async () => {
    const queue = queueWith()
    queue.attach(new Connection(10))
    const all = codes(['a', 'b', 'c'].map((text) => queue.add(bytes(text))))
    queue.detach(tooLarge)
    const second = new Connection(10)
    queue.attach(second)
    expect(second.sent).toEqual(['a'])
    second.answers[0]?.()
    expect(second.sent).toEqual(['a', 'b'])
    queue.detach(tooLarge)
    const third = new Connection(10)
    queue.attach(third)
    expect(third.sent).toEqual(['c'])
    third.answers[0]?.()
    expect(await all).toEqual(['accepted', 'STREAM_REFUSED', 'accepted'])
  })
})

describe('a packet that the MQTT queue sends', () => {
  it('has `isAlone` set exactly if no other message was in flight when it was sent', () => {
    const queue = queueWith()
    const connection = new Connection(10)
    queue.attach(connection)
    void codes(['a', 'b'].map((one) => queue.add(bytes(one))))
    for (const answer of connection.answers) answer()
    void codes([queue.add(bytes('c'))])
    const alone = connection.messages.flatMap(({ packets }) => packets.map(({ isAlone }) => isAlone))
    expect(alone).toEqual([true, false, true])
  })
})

describe('the pace of the MQTT queue', () => {
  let pace: Pace
  beforeEach(() => {
    pace = new Pace(600)
    pace.begin(64)
  })
  /** Returns the window after each acknowledgement. */
  const windowsAfter = (...answers: [afterMs: number, alone?: boolean][]) =>
    answers.map(([afterMs, alone = false]) => {
      pace.recordAnswer(afterMs, alone)
      return pace.window
    })

  it('begins with sixteen messages in flight, or fewer if the connection allows fewer', () => {
    expect(pace.window).toBe(16)
    pace.begin(4)
    expect(pace.window).toBe(4)
  })

  it('grows by one with each acknowledgement, up to what the connection allows', () => {
    pace.begin(18)
    expect(windowsAfter([1], [1], [1], [1])).toEqual([17, 18, 18, 18])
    pace.begin(64)
    expect(windowsAfter([1])).toEqual([20])
  })

  it('returns to its former value after a connection that allowed fewer messages in flight', () => {
    pace.begin(4)
    expect(windowsAfter([1])).toEqual([4])
    pace.begin(64)
    expect(pace.window).toBe(16)
  })

  it('is reduced by a tenth after each acknowledgement that took more than a tenth of publishTimeoutMs', () => {
    expect(windowsAfter([20, true], [60], [60.1], [61], [60])).toEqual([17, 18, 16, 14, 15])
  })

  it('shrinks to one message in flight, and no further', () => {
    windowsAfter([1, true])
    for (let times = 0; times < 50; times++) windowsAfter([500])
    expect(pace.window).toBe(1)
    expect(windowsAfter([1])).toEqual([2])
  })

  it('is not reduced by an acknowledgement that takes at most twice the estimated round trip', () => {
    expect(windowsAfter([50, true], [100], [100.1])).toEqual([17, 18, 16])
    // The broker is slower now, even for a message alone.
    expect(windowsAfter([90, true], [170], [180], [181])).toEqual([17, 18, 19, 17])
  })

  it('lowers its round-trip estimate after faster acknowledgements of several messages, but never raises it after slower ones', () => {
    expect(windowsAfter([50, true], [40], [81])).toEqual([17, 18, 16])
    expect(windowsAfter([70], [81])).toEqual([17, 15])
  })

  it('discards its round-trip estimate when a new connection begins', () => {
    windowsAfter([10, true])
    pace.begin(64)
    expect(windowsAfter([300], [500], [601])).toEqual([18, 19, 17])
  })

  it('raises the usual time of an acknowledgement at once, and lowers it by a sixteenth of the difference', () => {
    expect(pace.usualMs).toBe(0)
    windowsAfter([160])
    expect(pace.usualMs).toBe(160)
    windowsAfter([0])
    expect(pace.usualMs).toBe(150)
    windowsAfter([151])
    expect(pace.usualMs).toBe(151)
  })

  it('defers a message whose remaining time is less than twice the usual time of an acknowledgement', () => {
    const left = [0, 49, 80, 200].map((afterMs) => {
      windowsAfter([afterMs])
      return Math.round(pace.minLeftMs)
    })
    expect(left).toEqual([100, 100, 160, 300])
  })
})

describe('the chain of messages in a queue', () => {
  const member = (name: string) => ({ name, before: undefined, after: undefined, chain: undefined })
  const [a, b, c] = [member('a'), member('b'), member('c')]

  it('removes a member at any position, and ignores its second removal', () => {
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

  it('counts its members, whether they were added at the beginning or the end', () => {
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
