// @slow
// @node-only: it stops the clock, which the streams of mqtt.js need in browsers

import { mqtt } from 'alvarium-sdk'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { startSlow } from '../brokers/slow.js'
import { type AnswerCallback, type PacketSender, queueWith } from '../support/queues.js'

const message = new Uint8Array(100)
const STEP_MS = 10
const SECONDS = 90
const TIMEOUT_SECONDS = 30

interface Load {
  /** Messages that the broker acknowledges per second, one after the other. */
  readonly capacity: number
  readonly roundTripMs: number
  /** Messages that are published per second. */
  readonly published: number
}

/** Runs that load on a stopped clock for some time, after a warm-up of one message timeout. */
async function under({ capacity, roundTripMs, published }: Load) {
  const room = { maxQueuedMessages: 10_000, maxQueuedBytes: 10_000_000 }
  const queue = queueWith({ ...room, publishTimeoutMs: 1_000 * TIMEOUT_SECONDS })
  const arriving: { readonly at: number; readonly done: AnswerCallback }[] = []
  const seen = { acceptedIn: new Array<number>(TIMEOUT_SECONDS + SECONDS).fill(0), slowestMs: 0, cuts: 0 }
  const began = performance.now()
  const send: PacketSender['send'] = (_topic, _queued, done) =>
    void arriving.push({ at: performance.now() + roundTripMs, done })
  queue.attach({ window: 64, send, drop: () => void seen.cuts++ })

  const publish = async () => {
    const since = performance.now()
    const accepted = await queue.add(message).then(
      () => true,
      () => false,
    )
    const now = performance.now()
    const second = Math.floor((now - began) / 1_000)
    if (accepted && second in seen.acceptedIn) seen.acceptedIn[second] = (seen.acceptedIn[second] ?? 0) + 1
    seen.slowestMs = Math.max(seen.slowestMs, now - since)
  }
  let [offered, served] = [0, 0]
  for (let at = 0; at < 1_000 * seen.acceptedIn.length; at += STEP_MS) {
    for (; offered < (at * published) / 1_000; offered++) void publish()
    for (; served < (at * capacity) / 1_000; served++) {
      if (arriving[0] && arriving[0].at <= performance.now()) arriving.shift()?.done()
    }
    await vi.advanceTimersByTimeAsync(STEP_MS)
  }
  return seen
}

/** Returns the accepted share of the broker's capacity in each ten seconds. */
function goodput(acceptedIn: readonly number[], capacity: number): number[] {
  const shares: number[] = []
  for (let from = TIMEOUT_SECONDS; from < acceptedIn.length; from += 10) {
    const accepted = acceptedIn.slice(from, from + 10).reduce((sum, one) => sum + one, 0)
    shares.push(accepted / (10 * capacity))
  }
  return shares
}

describe('an mqtt stream that gets more messages than its broker accepts', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it.each<Load>([
    { capacity: 314, roundTripMs: 200, published: 1_000 },
    { capacity: 300, roundTripMs: 10, published: 900 },
    { capacity: 100, roundTripMs: 10, published: 150 },
    { capacity: 30, roundTripMs: 10, published: 300 },
    { capacity: 5, roundTripMs: 100, published: 300 },
    { capacity: 1, roundTripMs: 10, published: 3 },
  ])(
    'uses nine tenths of the broker’s capacity or more: $published messages a second, capacity $capacity',
    async (load) => {
      const { acceptedIn, slowestMs, cuts } = await under(load)
      for (const share of goodput(acceptedIn, load.capacity)) expect(share).toBeGreaterThanOrEqual(0.9)
      expect(slowestMs).toBeLessThanOrEqual(1_000 * TIMEOUT_SECONDS)
      expect(cuts).toBe(0)
    },
  )
})

describe('an mqtt stream whose broker stays slower than the callers for much longer than publishTimeoutMs', () => {
  it('resolves nearly all calls that the broker acknowledges, and cuts the connection at most once', async () => {
    const publishTimeoutMs = 2_000
    const broker = await startSlow({ perTurn: 4, turnMs: 20 })
    onTestFinished(broker.stop)
    const stream = mqtt({ url: broker.url, topic: 't', publishTimeoutMs, closeTimeoutMs: 1 })
    onTestFinished(() => stream.close())
    await stream.connect()
    const offline = vi.fn()
    stream.addEventListener('offline', offline)
    let accepted = 0
    const count = () => void accepted++
    const calls: Promise<void>[] = []
    for (let turns = 0; turns < 3 * publishTimeoutMs; turns += 20) {
      for (let at = 0; at < 12; at++) calls.push(stream.publish(message).then(count, () => {}))
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    await Promise.all(calls)
    // Compare with the broker's own count, so that the speed of the machine does not matter.
    expect(accepted).toBeGreaterThanOrEqual(0.9 * (await broker.acknowledged()))
    expect(accepted).toBeLessThan(0.6 * calls.length)
    // If this process stalls for a third of a message's time, the broker seems stuck, but only once.
    expect(offline.mock.calls.length).toBeLessThanOrEqual(1)
  })
})
