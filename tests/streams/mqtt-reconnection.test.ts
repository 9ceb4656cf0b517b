// @internal: the clock stands still for the connection, and not for its broker
// @own-process: it stops the clock
// @node-only: its broker listens on a plain socket

import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { backoff } from '../../dist/foundation/base/time/backoff.js'
import { BrokerConnection } from '../../dist/transport/streams/mqtt/connection.js'
import type { Link } from '../../dist/transport/streams/mqtt/link.js'
import { ReasonError, reasonBy } from '../../dist/transport/streams/mqtt/reasons.js'
import { Reconnection } from '../../dist/transport/streams/mqtt/reconnection.js'
import { packet, type ScriptedBroker } from '../brokers/scripted.js'
import { ACCEPTED, type Answers, connects, REFUSED, scripted, until } from '../support/scripts.js'

describe('a connection to a list of brokers', () => {
  beforeEach(() => {
    vi.spyOn(Math, 'random').mockReturnValue(0)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  })
  afterEach(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
  })

  const settings = (
    url: string[],
    protocolVersion: 4 | undefined,
  ): ConstructorParameters<typeof BrokerConnection>[0] => ({
    url,
    clientId: 'me',
    keepAliveSeconds: 0,
    connectTimeoutMs: 10_000,
    tls: {},
    qos: 1,
    protocolVersion,
  })

  /** Returns a connection that is not open yet, and its user. */
  const connecting = (...url: string[]) => using(url, 4)
  function using(url: string[], protocolVersion: 4 | undefined) {
    const user = {
      online: vi.fn((_link: Link, _inVain: number): unknown => undefined),
      offline: vi.fn((_reason: Error) => {}),
      failed: vi.fn((_reason: Error) => {}),
      isWaiting: vi.fn(() => false),
    }
    const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() }
    const connection = new BrokerConnection(settings(url, protocolVersion), user, logger)
    onTestFinished(() => connection.close())
    /** Ends the connection from the other side, after so long. */
    const lose = async (broker: ScriptedBroker, afterMs = 0) => {
      vi.advanceTimersByTime(afterMs)
      const before = user.offline.mock.calls.length
      broker.cut()
      await until(() => user.offline.mock.calls.length > before)
    }
    return { connection, user, logger, lose }
  }

  /** Runs the only timer, and returns its delay. */
  function waited(): number {
    expect(vi.getTimerCount()).toBe(1)
    const before = performance.now()
    vi.advanceTimersToNextTimer()
    return Math.round(performance.now() - before)
  }

  /** Returns the delay before each of so many failed attempts. */
  async function waits({ user }: ReturnType<typeof connecting>, count: number) {
    const all: number[] = []
    for (let failures = user.failed.mock.calls.length + 1; all.length < count; failures++) {
      all.push(waited())
      await until(() => user.failed.mock.calls.length === failures)
    }
    return all
  }

  /** Starts a broker that accepts the first connection, and then refuses so many. */
  function absent(times: number) {
    let count = 0
    return scripted({ connect: () => (count++ === 0 || count > times + 1 ? ACCEPTED : REFUSED) })
  }

  it('tries one URL after another, and fails when the last has failed', async () => {
    const [one, other] = [
      await scripted({ connect: () => REFUSED }),
      await scripted({ connect: () => REFUSED }),
    ]
    const { connection, user } = connecting(one.url, other.url)
    await expect(connection.open()).rejects.toThrow(other.url)
    expect([connects(one), connects(other), user.online.mock.calls.length]).toEqual([1, 1, 0])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is made to the first broker that accepts it', async () => {
    const [one, other] = [await scripted({ connect: () => REFUSED }), await scripted()]
    const { connection, user, logger } = connecting(one.url, other.url, 'mqtt://127.0.0.1:1')
    await connection.open()
    expect(user.online).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ version: 4 }), 0)
    expect(logger.info.mock.calls).toEqual([[{ url: other.url, protocolVersion: 4 }, 'mqtt: online']])
  })

  it('tries no further URL for a caller who has aborted', async () => {
    const controller = new AbortController()
    const leave = () => {
      controller.abort(new Error('enough'))
      return REFUSED
    }
    const [one, other] = [await scripted({ connect: leave }), await scripted()]
    const { connection } = connecting(one.url, other.url)
    await expect(connection.open(controller.signal)).rejects.toThrow('enough')
    expect(connects(other)).toBe(0)
  })

  it('is cut if the stream rejects the accepted connection, and is not logged as online', async () => {
    const broker = await scripted()
    const { connection, user, logger } = connecting(broker.url)
    user.online.mockRejectedValueOnce(new Error('of no use'))
    await expect(connection.open()).rejects.toThrow('of no use')
    expect(user.online.mock.calls[0]?.[0].client.stream.destroyed).toBe(true)
    expect(logger.info).not.toHaveBeenCalled()
  })

  it('is retried after a delay that doubles with each failure, up to 30 seconds, and each failure is logged', async () => {
    const broker = await absent(9)
    const given = connecting(broker.url)
    await given.connection.open()
    await given.lose(broker)
    const all = await waits(given, 9)
    expect(all).toEqual([200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000])
    expect(waited()).toBe(30_000)
    await until(() => given.user.online.mock.calls.length === 2)
    expect(given.user.online.mock.calls[1]?.[1]).toBe(9)
    const { info, warn } = given.logger
    await until(() => info.mock.calls.length === 2)
    const [url, reason] = [broker.url, expect.stringMatching(/Not authorized/)]
    expect(warn.mock.calls[0]).toEqual([{ url, reason: 'the connection was closed' }, 'mqtt: offline'])
    const still = Array.from({ length: 9 }, (_, at) => [
      { url, reason, attempts: at + 1 },
      'mqtt: still offline',
    ])
    expect(warn.mock.calls.slice(1)).toEqual(still)
    expect(given.user.failed.mock.calls[0]?.[0]).toMatchObject({ code: 'STREAM_UNREACHABLE' })
    expect(given.user.offline).toHaveBeenCalledExactlyOnceWith(new Error('the connection was closed'))
  })

  it('counts failed attempts from zero after each loss', async () => {
    const broker = await absent(1)
    const given = connecting(broker.url)
    await given.connection.open()
    await given.lose(broker)
    await waits(given, 1)
    for (const [back, inVain] of [
      [2, 1],
      [3, 0],
    ] as const) {
      waited()
      await until(() => given.logger.info.mock.calls.length === back)
      expect(given.user.online.mock.calls.at(-1)?.[1]).toBe(inVain)
      await given.lose(broker)
    }
  })

  it('is retried within five seconds for a message published after the loss', async () => {
    const broker = await absent(20)
    const given = connecting(broker.url)
    given.connection.hurry()
    expect(vi.getTimerCount()).toBe(0)
    await given.connection.open()
    await given.lose(broker)
    expect(await waits(given, 5)).toHaveLength(5)
    given.connection.hurry()
    expect(await waits(given, 1)).toEqual([5_000])
    vi.advanceTimersByTime(7_900)
    given.connection.hurry()
    expect(await waits(given, 1)).toEqual([4_900])
    vi.advanceTimersByTime(20_599)
    given.connection.hurry()
    expect(await waits(given, 1)).toEqual([5_000])
  })

  it('is retried even if no message is waiting and no callback for failures is given', async () => {
    const broker = await absent(1)
    const [online, warn] = [vi.fn(), vi.fn()]
    const logger = { debug: () => {}, info: () => {}, warn, error: () => {} }
    const connection = new BrokerConnection(settings([broker.url], 4), { online, offline: () => {} }, logger)
    onTestFinished(() => connection.close())
    await connection.open()
    broker.cut()
    for (const lines of [1, 2]) {
      await until(() => warn.mock.calls.length === lines)
      vi.advanceTimersByTime(2_000)
    }
    await until(() => online.mock.calls.length === 2)
  })

  it('is retried after the shortest delay if it lasted more than ten seconds or had an acknowledgement', async () => {
    const broker = await scripted()
    const { connection, user, logger, lose } = connecting(broker.url)
    await connection.open()
    const all: number[] = []
    for (const heldMs of [0, 9_000, 10_000, 10_001, 0, Number.NaN]) {
      if (Number.isNaN(heldMs)) connection.confirmHealthy()
      await lose(broker, heldMs || 0)
      all.push(waited())
      const back = all.length + 1
      await until(() => logger.info.mock.calls.length === back)
    }
    expect(all).toEqual([200, 400, 800, 200, 400, 200])
    expect(user.failed).not.toHaveBeenCalled()
  })

  it('is retried at the next URL after each failure, with the protocol version accepted there before', async () => {
    const old = (): Answers => ({
      connect: ({ body }) => (body[6] === 5 ? packet('connack', [0, 1]) : ACCEPTED),
    })
    const [one, other] = [await scripted(old()), await scripted(old())]
    const { connection, user, logger } = using([one.url, other.url], undefined)
    await connection.open()
    const back = async (count: number) => {
      vi.advanceTimersByTime(2_000)
      await until(() => logger.info.mock.calls.length === count)
    }
    one.cut()
    await until(() => user.offline.mock.calls.length === 1)
    await back(2)
    one.cut()
    await until(() => user.offline.mock.calls.length === 2)
    user.online.mockRejectedValueOnce(new Error('of no use'))
    vi.advanceTimersByTime(2_000)
    await until(() => user.failed.mock.calls.length === 1)
    await back(3)
    const versions = (broker: ScriptedBroker) =>
      broker.heard.flatMap(({ name, body }) => (name === 'connect' ? [body[6]] : []))
    expect([versions(one), versions(other)]).toEqual([
      [5, 4, 4, 4],
      [5, 4],
    ])
  })

  it('is retried with MQTT 5 at a broker that had disconnected without refusing that version', async () => {
    const broker = await scripted({
      connect: ({ connection, body }) => {
        if (connection < 2) return void broker.cut()
        return body[6] === 5 ? packet('connack', [0, 0, 0]) : ACCEPTED
      },
    })
    const { connection, logger, lose } = using([broker.url], undefined)
    await connection.open()
    await lose(broker)
    vi.advanceTimersByTime(2_000)
    await until(() => logger.info.mock.calls.length === 2)
    expect(logger.info.mock.calls.map(([{ protocolVersion }]) => protocolVersion)).toEqual([4, 5])
    expect(broker.heard.map(({ body }) => body[6])).toEqual([5, 5, 4, 5])
  })

  it('is reported neither as lost nor as unreachable when it is closed', async () => {
    // The second close happens while an attempt waits for its answer.
    const answers = [ACCEPTED, undefined, ACCEPTED]
    const broker = await scripted({ connect: () => answers.shift() })
    const given = connecting(broker.url)
    await given.connection.open()
    await given.lose(broker)
    waited()
    await until(() => connects(broker) === 2)
    await given.connection.close()
    await new Promise((resolve) => setImmediate(resolve))
    expect(given.user.failed).not.toHaveBeenCalled()
    const other = connecting(broker.url)
    await other.connection.open()
    await other.connection.close()
    expect(other.user.offline).not.toHaveBeenCalled()
    expect([given, other].map(({ logger }) => logger.warn.mock.calls.length)).toEqual([1, 0])
  })

  it('rejects open() after it is closed', async () => {
    const broker = await scripted()
    const [given, other] = [connecting(broker.url), connecting(broker.url)]
    await given.connection.close()
    const closed = { code: 'STREAM_CLOSED', message: 'mqtt: the stream is closed' }
    await expect(given.connection.open()).rejects.toMatchObject(closed)
    await other.connection.close(new Error('for this'))
    await expect(other.connection.open(new AbortController().signal)).rejects.toThrow('for this')
    expect(connects(broker)).toBe(0)
  })
})

describe('MQTT connections that end soon after they begin', () => {
  beforeEach(() => {
    vi.spyOn(Math, 'random').mockReturnValue(0)
  })
  afterEach(() => {
    vi.restoreAllMocks()
  })

  const closed = new Error('the connection was closed')
  const takenOver = new ReasonError(reasonBy(0x8e))

  /** Returns the delay after each of so many useful connections, which lasted for so long. */
  function waits(reason: Error, lasted: readonly number[], reconnection = new Reconnection('me')) {
    return lasted.map((afterMs) => {
      reconnection.confirmHealthy()
      reconnection.recordEnd(reason, afterMs)
      return reconnection.nextWaitMs(false)
    })
  }

  it('are retried after 200 ms three times, and then after delays that double up to 30 seconds', () => {
    const all = waits(closed, Array(12).fill(1_000))
    expect(all).toEqual([
      ...[200, 200, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600],
      ...[30_000, 30_000],
    ])
  })

  it('are no more than five seconds apart while messages wait', () => {
    const reconnection = new Reconnection('me')
    waits(closed, Array(20).fill(1_000), reconnection)
    reconnection.recordEnd(closed, 1_000)
    expect(reconnection.nextWaitMs(true)).toBe(5_000)
  })

  it('are retried quickly again after a connection that lasted at least ten seconds and four times the last delay', () => {
    expect(waits(closed, [...Array(6).fill(0), 10_001]).slice(5)).toEqual([1_600, 200])
    expect(waits(closed, [...Array(8).fill(0), 25_000, 51_201]).slice(7)).toEqual([6_400, 12_800, 200])
  })

  it('are few per minute if two clients keep taking over the same session from each other', () => {
    // Each connection lasts as long as the other client's delay.
    const all = waits(takenOver, Array(20).fill(1_000))
    expect(all.slice(0, 4)).toEqual([800, 1_600, 3_200, 6_400])
    let [time, count] = [0, 0]
    for (const wait of all) {
      time += wait
      if (time <= 60_000) count++
    }
    expect(count).toBeLessThan(8)
  })

  it('are blamed, after three in a row, on another client with the same clientId', () => {
    const texts = (clientId: string) => {
      const reconnection = new Reconnection(clientId)
      return [1, 2, 3].map(() => reconnection.recordEnd(closed, 0).message)
    }
    expect(texts('archive-1')).toEqual([
      'the connection was closed',
      'the connection was closed',
      'the connection was closed; the last 3 connections ended soon after they began, another client may use the clientId "archive-1": each client needs its own',
    ])
    expect(texts('alvarium-0123456789abcdef').at(-1)).toBe('the connection was closed')
  })

  it('are not blamed on another client if one of the last three connections was long', () => {
    const reconnection = new Reconnection('archive-1')
    const texts = [60_000, 0, 0, 0].map((afterMs) => reconnection.recordEnd(closed, afterMs).message)
    expect(texts.slice(0, 3)).toEqual(Array(3).fill('the connection was closed'))
    expect(texts[3]).toContain('the last 3 connections ended soon after they began')
  })

  it('are blamed on another client with the same clientId if the broker reports that client', () => {
    const told = new Reconnection('archive-1').recordEnd(takenOver, 60_000)
    expect(told).toBeInstanceOf(ReasonError)
    expect(told.message).toBe(
      'the broker ended the connection: Session taken over (reason code 0x8E); another client uses the clientId "archive-1": each client needs its own',
    )
  })

  it('are not blamed on another client if the broker gave a different reason', () => {
    const reconnection = new Reconnection('archive-1')
    const busy = new ReasonError(reasonBy(0x89))
    expect([1, 2, 3, 4].map(() => reconnection.recordEnd(busy, 0))).toEqual([busy, busy, busy, busy])
  })
})

describe('the time before the next attempt to connect', () => {
  it('doubles with each failure, up to 30 seconds', () => {
    expect([0, 1, 2, 3, 7, 8, 100].map((failures) => backoff(failures, 0))).toEqual([
      200, 400, 800, 1_600, 25_600, 30_000, 30_000,
    ])
  })

  it('is no longer than a given limit', () => {
    expect([0, 5, 100].map((failures) => backoff(failures, 0, 5_000))).toEqual([200, 5_000, 5_000])
  })

  it('is random, between half of its maximum and its maximum', () => {
    expect(backoff(3, 0.5)).toBe(1_200)
    expect(backoff(3, 1)).toBe(800)
  })
})
