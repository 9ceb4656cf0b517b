// @internal: nothing outside gets in between the broker's answer and `online`
// @own-process: it stops the clock
// @node-only: it stops the clock, which the streams of mqtt.js need in browsers

import { mqtt } from 'alvarium-sdk'
import type { MqttClient } from 'mqtt'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { BrokerConnection } from '../../dist/transport/streams/mqtt/connection.js'
import { brokers, type TestBroker } from '../brokers/brokers.js'
import { startEmbedded } from '../brokers/embedded.js'
import { startMosquitto } from '../brokers/mosquitto.js'
import { startNetwork } from '../brokers/network.js'

function journal() {
  const told: [level: string, fields: object, text: string][] = []
  let check = () => {}
  const log = (level: string) => (fields: object, text: string) => {
    told.push([level, fields, text])
    check()
  }
  const logger = { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') }
  const lines = (count: number) =>
    new Promise<void>((resolve) => {
      check = () => told.length >= count && resolve()
      check()
    })
  return { told, logger, lines }
}

/** Starts a broker behind a network, and a stream connected to it. */
async function connected({
  start = startEmbedded,
  ...options
}: {
  start?: typeof startEmbedded
  protocolVersion?: 4
  publishTimeoutMs?: number
} = {}) {
  const broker = await start()
  onTestFinished(broker.stop)
  const network = await startNetwork(broker.url)
  onTestFinished(network.stop)
  const stream = mqtt({ url: network.url, topic: 't', closeTimeoutMs: 1, ...options })
  onTestFinished(() => stream.close())
  const { told, logger, lines } = journal()
  await stream.connect({ logger })
  const next = (type: 'online' | 'offline') =>
    new Promise<Event>((resolve) => stream.addEventListener(type, resolve, { once: true }))
  return { broker, network, stream, next, told, lines }
}

/** Stops the clock: time passes only when the test advances it, so the delays of timers can be measured. */
function stopTheClock(): void {
  vi.spyOn(Math, 'random').mockReturnValue(0)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
}

/** Advances to the next timer, and returns the time that passed. */
function untilNextTimer(): number {
  const before = performance.now()
  vi.advanceTimersToNextTimer()
  return Math.round(performance.now() - before)
}

describe('a connection of mqtt', () => {
  afterEach(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
  })

  describe('that is cut again and again', () => {
    it('is retried after delays that double, until a connection has lasted ten seconds', async () => {
      const { network, next } = await connected({ protocolVersion: 4 })
      stopTheClock()
      const waitedAfter = async (heldMs: number): Promise<number> => {
        vi.advanceTimersByTime(heldMs)
        const offline = next('offline')
        await network.fail()
        await offline
        await network.recover()
        const online = next('online')
        const waited = untilNextTimer()
        await online
        return waited
      }
      const waited: number[] = []
      for (const held of [0, 0, 9_000, 10_000, 10_001, 0]) waited.push(await waitedAfter(held))
      expect(waited).toEqual([200, 400, 800, 1_600, 200, 400])
    })
  })

  describe('with waiting messages and an unreachable broker', () => {
    /** Returns the delay before each attempt, with an unreachable broker. */
    async function waits({ lines }: Awaited<ReturnType<typeof connected>>, count: number, from = 2) {
      const waited: number[] = []
      for (let attempt = 1; attempt <= count; attempt++) {
        waited.push(untilNextTimer())
        await lines(from + attempt)
      }
      return waited
    }

    it('is retried at least every five seconds', async () => {
      const given = await connected({ protocolVersion: 4, publishTimeoutMs: 3_600_000 })
      stopTheClock()
      const offline = given.next('offline')
      await given.network.fail()
      await offline
      given.stream.publish(new Uint8Array(1)).catch(() => {})
      expect(await waits(given, 7)).toEqual([200, 400, 800, 1_600, 3_200, 5_000, 5_000])
    })

    it('is retried at most five seconds after a message is published', async () => {
      const given = await connected({ protocolVersion: 4, publishTimeoutMs: 3_600_000 })
      stopTheClock()
      const offline = given.next('offline')
      await given.network.fail()
      await offline
      expect(await waits(given, 7)).toEqual([200, 400, 800, 1_600, 3_200, 6_400, 12_800])
      given.stream.publish(new Uint8Array(1)).catch(() => {})
      expect(untilNextTimer()).toBe(5_000)
    })
  })

  describe('to an unreachable broker', () => {
    it('is retried after delays that double, and logs each failure and the return of the broker', async () => {
      const { network, next, told, lines } = await connected()
      stopTheClock()
      const offline = next('offline')
      await network.fail()
      await offline
      expect(untilNextTimer()).toBe(200)
      await lines(3)
      expect(untilNextTimer()).toBe(400)
      await lines(4)
      await network.recover()
      const online = next('online')
      expect(untilNextTimer()).toBe(800)
      await online
      await lines(5)
      const url = expect.stringMatching(/^ws:\/\/127\.0\.0\.1:\d+\/$/)
      const reason = expect.stringMatching(/./)
      expect(told).toEqual([
        ['info', { url, protocolVersion: 4 }, 'mqtt: online'],
        ['warn', { url, reason }, 'mqtt: offline'],
        ['warn', { url, reason, attempts: 1 }, 'mqtt: still offline'],
        ['warn', { url, reason, attempts: 2 }, 'mqtt: still offline'],
        ['info', { url, protocolVersion: 4 }, 'mqtt: online'],
      ])
    })

    it('does not retry after it is closed, and leaves no timer', async () => {
      const { network, stream, next } = await connected({ start: startMosquitto })
      stopTheClock()
      const offline = next('offline')
      await network.fail()
      await offline
      expect(vi.getTimerCount()).toBe(1)
      await stream.close()
      expect(vi.getTimerCount()).toBe(0)
      expect(await network.connections()).toBe(1)
    })

    it('does not retry or report anything when it is closed in the middle of an attempt', async () => {
      const { network, stream, next, told } = await connected({ start: startMosquitto })
      stopTheClock()
      const offline = next('offline')
      await network.fail()
      await offline
      vi.advanceTimersToNextTimer()
      await stream.close()
      await vi.advanceTimersByTimeAsync(0)
      expect(vi.getTimerCount()).toBe(0)
      expect(told.map(([, , text]) => text)).toEqual(['mqtt: online', 'mqtt: offline'])
    })
  })

  describe('that is closed while it is online', () => {
    it('is not logged as offline', async () => {
      const { stream, told } = await connected()
      await stream.close()
      expect(told.map(([, , text]) => text)).toEqual(['mqtt: online'])
    })
  })

  describe('over a network that drops all packets', () => {
    it('is cut a second after close() if its DISCONNECT could not be sent', async () => {
      const { network, stream } = await connected()
      await network.freeze()
      stopTheClock()
      let closed = false
      const closing = stream.close().then(() => {
        closed = true
      })
      await vi.advanceTimersByTimeAsync(999)
      expect(closed).toBe(false)
      await vi.advanceTimersByTimeAsync(1)
      await closing
    })
  })

  describe('to a broker that only knows MQTT 3.1.1', () => {
    it('reconnects with MQTT 3.1.1 at once, without another attempt with MQTT 5', async () => {
      const { network, next } = await connected()
      expect(await network.connections()).toBe(2)
      stopTheClock()
      const offline = next('offline')
      await network.fail()
      await offline
      await network.recover()
      const online = next('online')
      vi.advanceTimersToNextTimer()
      await online
      expect(await network.connections()).toBe(3)
    })
  })
})

describe.each(brokers)('a connection to $name', ({ start }) => {
  let broker: TestBroker
  beforeAll(async () => {
    broker = await start()
  })
  afterAll(() => broker.stop())
  afterEach(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
  })

  const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

  /** Opens a connection on which an event happens right after the broker's answer, before it is online. */
  async function answered(meanwhile: (connection: BrokerConnection) => unknown) {
    const clients: MqttClient[] = []
    const online = vi.fn()
    const prepare = (client: MqttClient) => {
      clients.push(client)
      client.once('connect', () => queueMicrotask(() => meanwhile(connection)))
    }
    const settings: ConstructorParameters<typeof BrokerConnection>[0] = {
      url: [broker.url],
      qos: 1,
      clientId: 'between',
      keepAliveSeconds: 60,
      connectTimeoutMs: 10_000,
      tls: {},
      protocolVersion: 4,
    }
    const connection = new BrokerConnection(settings, { prepare, online, offline: () => {} }, silent)
    onTestFinished(() => connection.close())
    return { connection, clients, online }
  }

  describe('that is closed after the broker has accepted it, but before it is online', () => {
    it('makes open() reject, is never online, and is cut', async () => {
      const { connection, clients, online } = await answered((connection) => connection.close())
      await expect(connection.open()).rejects.toMatchObject({ code: 'STREAM_CLOSED' })
      expect(online).not.toHaveBeenCalled()
      expect(clients.map(({ disconnecting }) => disconnecting)).toEqual([true])
    })
  })

  describe('that is aborted after the broker has accepted it, but before it is online', () => {
    it('makes open() reject with the reason of the signal, is never online, and is cut', async () => {
      const controller = new AbortController()
      const { connection, clients, online } = await answered(() => controller.abort(new Error('enough')))
      await expect(connection.open(controller.signal)).rejects.toThrow('enough')
      expect(online).not.toHaveBeenCalled()
      expect(clients.map(({ disconnecting }) => disconnecting)).toEqual([true])
    })
  })

  describe('that is closed', () => {
    it('has ended when close() resolves', async () => {
      const { connection, clients } = await answered(() => {})
      await connection.open()
      await connection.close()
      expect(clients.map(({ stream }) => stream.destroyed)).toEqual([true])
    })

    it('has ended when close() resolves, even if an acknowledgement is missing', async () => {
      const { connection, clients } = await answered(() => {})
      await connection.open()
      stopTheClock()
      for (const client of clients) client.publish('t', 'unacknowledged', { qos: 1 }, () => {})
      await connection.close()
      expect(clients.map(({ stream }) => stream.destroyed)).toEqual([true])
    })
  })

  describe('that the stream refuses after the broker has accepted it', () => {
    it('makes open() reject with the error of the stream, and is cut', async () => {
      const { connection, clients, online } = await answered(() => {})
      online.mockRejectedValueOnce(new Error('no use'))
      await expect(connection.open()).rejects.toThrow('no use')
      expect(clients.map(({ disconnecting }) => disconnecting)).toEqual([true])
      stopTheClock()
      await connection.close()
    })

    it('makes open() reject with the reason of the signal if the signal aborts at the same time', async () => {
      const controller = new AbortController()
      const { connection, online } = await answered(() => {})
      online.mockImplementationOnce(() => {
        controller.abort(new Error('enough'))
        throw new Error('no use')
      })
      await expect(connection.open(controller.signal)).rejects.toThrow('enough')
    })
  })
})
