// @internal: a broker shows only by chance which messages are acknowledged, and when
import { type Codec, openDeadLetter, source } from 'alvarium-sdk'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { ReceivedMessage } from '../../dist/transport/streams/mqtt/inbox.js'
import { Consumer, type LoopSource } from '../../dist/verifying/consume/consumer.js'
import { type ConsumeOptions, readConsumeOptions } from '../../dist/verifying/consume/options.js'
import { callbackWithTimeout } from '../../dist/verifying/consume/timeouts.js'
import type { ConsumerContext } from '../../dist/verifying/consume/user.js'
import { patient, payloads } from '../support/batches.js'
import { utf8 } from '../support/bytes.js'
import { keyring, lastOf, opened } from '../support/sdk.js'
import { classicCases } from '../support/vectors.js'

const { sdk, stream } = await opened([source()])
async function message(text: string): Promise<Uint8Array> {
  await sdk.create(utf8(text))
  return lastOf(stream)
}
async function batch(count: number): Promise<Uint8Array> {
  const { sdk, stream } = await opened([source()], {
    batch: { ...patient, maxBundles: count, maxBytes: 2 ** 20 },
  })
  await sdk.createMany(payloads(count))
  await sdk.close()
  return lastOf(stream)
}

/** A message that records its outcome. */
class Come implements ReceivedMessage {
  readonly topic = 't'
  readonly retain = false
  readonly dup = false
  readonly receivedAt = 0
  readonly message: Uint8Array
  readonly withdrawn: boolean
  fate = ''

  constructor(message: Uint8Array, withdrawn = false) {
    this.message = message
    this.withdrawn = withdrawn
  }

  ack(): void {
    this.fate += 'acked '
  }

  nack(): void {
    this.fate += 'nacked '
  }

  setAside(): void {
    this.fate += 'aside '
  }
}

function counting() {
  const decode = vi.fn((bytes: Uint8Array) => bytes)
  return {
    contentType: 'application/json+counted',
    encode: (bytes: Uint8Array) => bytes,
    decode,
  } satisfies Codec
}

/** Starts a consumer of messages that have arrived in one batch, followed by those of `more`. */
function consuming(come: Come[], options: ConsumeOptions = {}, codec?: Codec, more: () => Come[] = () => []) {
  const user = {
    trust: { keyring, codec },
    classic: undefined,
    isOver: () => false,
    logger: { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() },
    onRejected: vi.fn(),
  } satisfies ConsumerContext
  const first = [come]
  const from = {
    begin: async () => {},
    take: async () => [...(first.pop() ?? more())],
    end: vi.fn(async () => {}),
  } satisfies LoopSource
  const consumer = new Consumer(readConsumeOptions(options), user)
  return { consumer, user, from, loop: consumer.deliver(from) }
}

const fates = (come: readonly Come[]) => come.map(({ fate }) => fate.trim())

async function all(loop: AsyncIterable<unknown>): Promise<number> {
  let count = 0
  for await (const _ of loop) count++
  return count
}

describe('a message', () => {
  // claim: verifying-10
  it('is acknowledged when the loop requests the next bundle after the last bundle of the message', async () => {
    const come = [new Come(await batch(2)), new Come(await message('a'))]
    const { loop } = consuming(come)
    const seen = []
    for await (const _ of loop) seen.push(fates(come))
    expect(seen).toEqual([
      ['', ''],
      ['', ''],
      ['acked', ''],
    ])
    expect(fates(come)).toEqual(['acked', 'acked'])
  })

  it('that the broker will redeliver is neither delivered nor acknowledged', async () => {
    const come = [new Come(await message('a'), true), new Come(utf8('x'), true), new Come(await message('b'))]
    const { loop, user } = consuming(come)
    expect(await all(loop)).toBe(1)
    expect(fates(come)).toEqual(['', '', 'acked'])
    expect(user.onRejected).not.toHaveBeenCalled()
  })

  it('that does not verify is published to the dead-letter stream before it is acknowledged', async () => {
    for (const codec of [undefined, counting()]) {
      const [come] = [new Come(utf8('x'))]
      const fateThen: string[] = []
      const letters: Uint8Array[] = []
      const publish = vi.fn(async (letter: Uint8Array) => {
        letters.push(letter)
        fateThen.push(come.fate)
      })
      const { loop, user } = consuming([come], { deadLetter: { publish } }, codec)
      expect(await all(loop)).toBe(0)
      expect(publish).toHaveBeenCalledWith(expect.anything(), { contentType: 'application/json' })
      expect(letters.map(openDeadLetter)).toMatchObject([
        {
          message: come.message,
          topic: 't',
          receivedAt: 0,
          ...(codec && { contentType: codec.contentType }),
        },
      ])
      expect([...fateThen, ...fates([come])]).toEqual(['', 'acked'])
      expect(user.onRejected).toHaveBeenCalledWith(
        come,
        expect.objectContaining({ code: 'MESSAGE_MALFORMED' }),
      )
      expect(user.logger.warn).toHaveBeenCalledTimes(1)
    }
  })

  it('of another SDK is rejected without the option `classic`', async () => {
    const come = [new Come(utf8(classicCases('go')[0]?.message ?? ''))]
    const { loop, user } = consuming(come)
    expect(await all(loop)).toBe(0)
    expect(user.onRejected).toHaveBeenCalledWith(
      come[0],
      expect.objectContaining({ code: 'MESSAGE_MALFORMED' }),
    )
  })
})

describe('a subscription to messages that arrive together', () => {
  it('verifies up to 128 kB of messages in one call, and at least one message', async () => {
    const long = await batch(256)
    const most = Math.floor((128 * 1024) / long.length)
    expect(most).toBeLessThan(3)
    const short = await message('a')
    for (const [messages, expected] of [
      [Array.from({ length: 8 }, () => short), 8],
      [[short, long, long, long], 1 + most],
      [[await batch(1024), short], 1],
    ] as const) {
      const codec = counting()
      const { loop } = consuming(
        messages.map((one) => new Come(one)),
        {},
        codec,
      )
      await loop.next()
      expect(codec.decode).toHaveBeenCalledTimes(expected)
      await loop.return()
    }
  })
})

describe('a bundle in a subscription with dedup', () => {
  it('that arrives again is acknowledged and not delivered, while its id is remembered', async () => {
    const again = await message('a')
    const come = [new Come(again), new Come(again)]
    const { loop } = consuming(come, { dedup: {} })
    expect(await all(loop)).toBe(1)
    expect(fates(come)).toEqual(['acked', 'acked'])
  })

  it.each([
    ['acked', (bundle: { ack(): Promise<void>; nack(): void }) => bundle.ack()],
    ['nacked', (bundle: { ack(): Promise<void>; nack(): void }) => bundle.nack()],
  ])('that arrives again is %s with its first copy if the first copy is in flight', async (fate, settle) => {
    const again = await message('a')
    const come = [new Come(again), new Come(again), new Come(await message('b'))]
    const { loop } = consuming(come, { dedup: {}, ack: 'manual' })
    const { value } = await loop.next()
    await loop.next()
    expect(fates(come)).toEqual(['', '', ''])
    if (value) await settle(value)
    await vi.waitFor(() => expect(fates(come)).toEqual([fate, fate, '']))
  })

  it('is delivered again after `ttlMs`, or after `max` other bundles', async () => {
    const [a, b] = [await message('a'), await message('b')]
    for (const [dedup, ttl, expected] of [
      [{ ttlMs: 20 }, 30, 2],
      [{ ttlMs: 60_000 }, 30, 1],
      [{ max: 1 }, 0, 2],
      [{ max: 2 }, 0, 1],
    ] as const) {
      const late = [[new Come(a)], [new Come(b)]]
      const { loop } = consuming([new Come(a)], { dedup }, undefined, () => late.pop() ?? [])
      let times = 0
      for await (const { message } of loop) {
        if (message === a) times++
        await new Promise((resolve) => setTimeout(resolve, ttl))
      }
      expect(times).toBe(expected)
    }
  })

  it("that arrives again is recognized for `ttlMs`, even if the machine's clock is set meanwhile", async () => {
    const again = await message('a')
    for (const day of [-1, 1]) {
      const late = [[new Come(again)]]
      const { loop } = consuming([new Come(again)], { dedup: { ttlMs: 60_000 } }, undefined, () => {
        vi.setSystemTime(Date.now() + day * 86_400_000)
        return late.pop() ?? []
      })
      vi.useFakeTimers({ toFake: ['Date'] })
      onTestFinished(() => void vi.useRealTimers())
      expect(await all(loop)).toBe(1)
    }
  })

  it('is delivered only after the dedup store has marked the previous bundle as processed', async () => {
    const marked: string[] = []
    const add = (id: string) => new Promise<void>((done) => setTimeout(() => done(void marked.push(id)), 20))
    const come = [new Come(await message('a')), new Come(await message('b'))]
    const { loop } = consuming(come, { dedup: { store: { has: () => false, add } } })
    const counts = []
    for await (const _ of loop) counts.push(marked.length)
    expect(counts).toEqual([0, 1])
  })
})

describe('timers run during a slow loop', () => {
  /** Returns how often a timer of 1 ms ran before the end of the loop, which stops early after enough runs. */
  async function ticksIn(loop: AsyncIterable<unknown>, workMs = 0): Promise<number> {
    let ticks = 0
    const timer = setInterval(() => ticks++, 1)
    for await (const _ of loop) {
      work(workMs)
      if (ticks > ENOUGH) break
    }
    clearInterval(timer)
    return ticks
  }
  function work(ms: number): void {
    for (const end = performance.now() + ms; performance.now() < end; );
  }
  /** Repeats a message, at least a millisecond apart, until the timer has run often enough. */
  const steadily = (message: Uint8Array) => {
    let left = MOST
    return () => {
      work(1)
      return left-- > 0 ? [new Come(message)] : []
    }
  }
  const ENOUGH = 3
  /** A browser on a busy machine may run no timer for a tenth of a second, but it runs some in four seconds. */
  const MOST = 4_000

  it('over the bundles of a batch', async () => {
    const { loop } = consuming([new Come(await batch(MOST))])
    expect(await ticksIn(loop, 1)).toBeGreaterThan(ENOUGH)
  })

  it('over messages that arrive steadily', async () => {
    const one = await message('a')
    const { loop } = consuming([new Come(one)], {}, undefined, steadily(one))
    expect(await ticksIn(loop)).toBeGreaterThan(ENOUGH)
  })

  it('over messages that are all malformed', async () => {
    let ticks = 0
    const timer = setInterval(() => ticks++, 1)
    const more = steadily(utf8('x'))
    const { loop } = consuming([new Come(utf8('x'))], {}, undefined, () => (ticks > ENOUGH ? [] : more()))
    expect(await all(loop)).toBe(0)
    clearInterval(timer)
    expect(ticks).toBeGreaterThan(ENOUGH)
  })
})

describe('a loop that ends early', () => {
  it('acknowledges its delivered bundle, and delivers nothing more', async () => {
    const come = [new Come(await message('a')), new Come(await message('b'))]
    const { consumer, loop, from } = consuming(come)
    const { value } = await loop.next()
    await loop.return()
    expect(from.end).toHaveBeenCalledTimes(1)
    await consumer.stop()
    await value?.ack()
    await value?.ack()
    expect(fates(come)).toEqual(['acked', ''])
    await consumer.stop()
    expect((await loop.next()).done).toBe(true)
  })

  it('because of stop() delivers no more bundles of a batch, and leaves the batch to the broker', async () => {
    const come = [new Come(await batch(3))]
    const { consumer, loop } = consuming(come)
    await loop.next()
    const stopped = consumer.stop()
    expect((await loop.next()).done).toBe(true)
    await stopped
    expect(fates(come)).toEqual([''])
  })
})

it('ack() rejects if the acknowledgement cannot be sent, and may be called again', async () => {
  const come = new Come(await message('a'))
  let broken = true
  come.ack = () => {
    if (broken) throw new Error('broken')
    come.fate = 'acked'
  }
  const { loop } = consuming([come], { ack: 'manual' })
  const { value } = await loop.next()
  await expect(value?.ack()).rejects.toThrow('broken')
  broken = false
  await value?.ack()
  expect(come.fate).toBe('acked')
})

it('a loop ends if onLease or onCheckpoint does not settle in time', async () => {
  const patience = { timeoutMs: 10, over: new AbortController().signal }
  const take = callbackWithTimeout('leases.onLease', () => new Promise(() => {}), patience)
  await expect(take(new Uint8Array(1))).rejects.toMatchObject({
    code: 'STORE_FAILED',
    message: 'leases.onLease: expected the function to accept the message, got no answer within 10 ms',
  })
})
