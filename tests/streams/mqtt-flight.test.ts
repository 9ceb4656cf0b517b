import { beforeEach, describe, expect, it } from 'vitest'
// Which message a connection was lost for, and how many go at a time, brokers only show in minutes.
import { Pace } from '../../dist/streams/mqtt/pace.js'
import { utf8 as bytes } from '../support/bytes.js'
import { codes } from '../support/codes.js'
import { Connection, lost, queueWith, withStoppedClock } from '../support/queues.js'

describe('when the broker ends connections on which messages are', () => {
  withStoppedClock()

  /** A queue, and the connections that it is given one after the other. */
  function reconnecting() {
    const queue = queueWith()
    let connection = new Connection(10)
    queue.attach(connection)
    return {
      queue,
      add: (...texts: string[]) => codes(texts.map((text) => queue.add(bytes(text)))),
      /** What is sent over the next one, after the one before is lost. */
      next: (byBroker?: boolean, atOnce?: boolean) => {
        queue.detach(lost, byBroker)
        connection = new Connection(10)
        queue.attach(connection, atOnce)
        return connection.sent
      },
      answer: (at: number) => connection.answers[at]?.(),
    }
  }

  it('sends them one by one after the second time, and refuses the one on which it is lost then', async () => {
    const { queue, add, next, answer } = reconnecting()
    const all = add('a', 'b', 'c')
    expect(next()).toEqual(['a', 'b', 'c'])
    const alone = next()
    expect(alone).toEqual(['a'])
    answer(0)
    expect(alone).toEqual(['a', 'b'])
    const publish = expect(queue.add(bytes('later'))).resolves.toBeUndefined()
    expect(alone).toEqual(['a', 'b'])
    const after = next()
    expect(after).toEqual(['c'])
    answer(0)
    expect(after).toEqual(['c', 'later'])
    answer(1)
    await publish
    expect(await all).toEqual(['accepted', 'STREAM_REFUSED', 'accepted'])
    expect(queue.stats()).toMatchObject({ refused: 1, acknowledged: 3 })
  })

  it('says of which it is, how often, and why', async () => {
    const { queue, next } = reconnecting()
    const publish = expect(queue.add(bytes('abc'))).rejects.toMatchObject({
      code: 'STREAM_REFUSED',
      message:
        'mqtt: expected the broker to accept 3 bytes for "t", it ended the connection each of the 3 times that they were sent: lost',
      cause: lost,
    })
    expect([next(), next(), next()].map((sent) => sent.length)).toEqual([1, 1, 0])
    await publish
  })

  it.each([
    ['it was not the broker that ended it', [false, true]],
    ['the broker was away for longer', [true, false]],
  ] as const)('holds it against none when %s', (_, [byBroker, atOnce]) => {
    const { add, next } = reconnecting()
    void add('a', 'b')
    for (let times = 0; times < 4; times++) expect(next(byBroker, atOnce)).toEqual(['a', 'b'])
    expect(next()).toEqual(['a', 'b'])
    expect(next()).toEqual(['a'])
  })

  it('holds the loss of one connection against none twice', () => {
    const { queue, add, next } = reconnecting()
    void add('a', 'b')
    expect(next()).toEqual(['a', 'b'])
    const connection = new Connection(10)
    queue.attach(connection)
    expect(next(false)).toEqual(['a', 'b'])
  })

  it('lets others go together while one that goes alone still waits', async () => {
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

  it('sends one that goes alone when nothing else is on its way any more', () => {
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

describe('a message on its way', () => {
  it('knows whether it went alone, which tells how quick a broker can be', () => {
    const queue = queueWith()
    const connection = new Connection(10)
    queue.attach(connection)
    void codes(['a', 'b'].map((one) => queue.add(bytes(one))))
    for (const answer of connection.answers) answer()
    void codes([queue.add(bytes('c'))])
    const alone = connection.letters.flatMap(({ parcels }) => parcels.map((parcel) => parcel.alone))
    expect(alone).toEqual([true, false, true])
  })
})

describe('the pace at which messages go', () => {
  let pace: Pace
  beforeEach(() => {
    pace = new Pace(600)
    pace.begin(64)
  })
  /** The window after each acknowledgement. */
  const windowsAfter = (...answers: [afterMs: number, alone?: boolean][]) =>
    answers.map(([afterMs, alone = false]) => {
      pace.answered(afterMs, alone)
      return pace.window
    })

  it('begins with sixteen at a time, or as many as the connection allows', () => {
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

  it('keeps what it had grown to when a connection allows less for a while', () => {
    pace.begin(4)
    expect(windowsAfter([1])).toEqual([4])
    pace.begin(64)
    expect(pace.window).toBe(16)
  })

  it('is a tenth less for each acknowledgement that took more than a tenth of the time there is', () => {
    expect(windowsAfter([20, true], [60], [60.1], [61], [60])).toEqual([17, 18, 16, 14, 15])
  })

  it('goes down to one at a time, and no further', () => {
    windowsAfter([1, true])
    for (let times = 0; times < 50; times++) windowsAfter([500])
    expect(pace.window).toBe(1)
    expect(windowsAfter([1])).toEqual([2])
  })

  it('takes nothing for slow that takes no more than twice as long as a message alone', () => {
    expect(windowsAfter([50, true], [100], [100.1])).toEqual([17, 18, 16])
    // The broker is slower now, by itself.
    expect(windowsAfter([90, true], [170], [180], [181])).toEqual([17, 18, 19, 17])
  })

  it('learns from a quick acknowledgement among others, and not from a slow one', () => {
    expect(windowsAfter([50, true], [40], [81])).toEqual([17, 18, 16])
    expect(windowsAfter([70], [81])).toEqual([17, 15])
  })

  it('begins anew to learn with each connection', () => {
    windowsAfter([10, true])
    pace.begin(64)
    expect(windowsAfter([300], [500], [601])).toEqual([18, 19, 17])
  })

  it('expects what the slowest took, less a sixteenth of the difference for each that was quicker', () => {
    expect(pace.usualMs).toBe(0)
    windowsAfter([160])
    expect(pace.usualMs).toBe(160)
    windowsAfter([0])
    expect(pace.usualMs).toBe(150)
    windowsAfter([151])
    expect(pace.usualMs).toBe(151)
  })

  it('wants a sixth of its time left to a message, or twice what one takes, and no more than half', () => {
    const left = [0, 49, 80, 200].map((afterMs) => {
      windowsAfter([afterMs])
      return Math.round(pace.leastLeftMs)
    })
    expect(left).toEqual([100, 100, 160, 300])
  })
})
