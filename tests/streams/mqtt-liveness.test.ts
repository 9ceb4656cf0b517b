// @internal: the clock stands still for the connection, and not for its broker
// @own-process: it stops the clock
// @node-only: its broker listens on a plain socket

import { EventEmitter } from 'node:events'
import type { MqttClient } from 'mqtt'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Link } from '../../dist/transport/streams/mqtt/link.js'
import { keepAlive, Liveness, ping } from '../../dist/transport/streams/mqtt/liveness.js'

/** The used part of mqtt.js' client, because no real broker is silent for an exact time. */
class Client extends EventEmitter {
  readonly sendPing = vi.fn(() => {})
  readonly onKeepaliveTimeout = vi.fn(() => {})
  readonly reschedulePing = vi.fn((_force: boolean) => {})

  hear(cmd = 'puback'): void {
    this.emit('packetreceive', { cmd })
  }

  get mqtt(): MqttClient {
    return this as unknown as MqttClient
  }
}

describe('the liveness check of a broker that owes an answer', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  function listening(timeoutMs = 6_000) {
    const state = { owed: true, usualMs: 0 }
    const client = new Client()
    const giveUp = vi.fn((_reason: Error) => {})
    const inFlight = {
      get size() {
        return state.owed ? 1 : 0
      },
      get usualMs() {
        return state.usualMs
      },
    }
    const liveness = new Liveness(timeoutMs, inFlight, giveUp)
    const begin = () => liveness.watch({ client } as unknown as Link)
    begin()
    return { state, client, giveUp, liveness, begin }
  }
  const pass = (milliseconds: number) => vi.advanceTimersByTime(milliseconds)

  it('sends one ping after a sixth of publishTimeoutMs, and gives up after half of publishTimeoutMs', () => {
    const { client, giveUp, liveness } = listening()
    liveness.startChecks()
    pass(999)
    expect(client.sendPing).not.toHaveBeenCalled()
    pass(1)
    expect(client.sendPing).toHaveBeenCalledOnce()
    pass(1_999)
    expect(client.sendPing).toHaveBeenCalledOnce()
    expect(giveUp).not.toHaveBeenCalled()
    pass(1)
    expect(giveUp).toHaveBeenCalledExactlyOnceWith(
      new Error('nothing came from the broker for 3000 ms, not even the answer to a ping'),
    )
    expect(vi.getTimerCount()).toBe(0)
  })

  it('runs at most every quarter of a second', () => {
    const { client, liveness } = listening(600)
    liveness.startChecks()
    pass(249)
    expect(client.sendPing).not.toHaveBeenCalled()
    pass(1)
    expect(client.sendPing).toHaveBeenCalledOnce()
  })

  it('counts the time from the first message that is sent, not from the last', () => {
    const { client, liveness } = listening()
    liveness.startChecks()
    pass(900)
    liveness.startChecks()
    pass(100)
    expect(client.sendPing).toHaveBeenCalledOnce()
    expect(vi.getTimerCount()).toBe(1)
  })

  it('ends when any packet arrives, and restarts with the next message sent', () => {
    const { client, giveUp, liveness } = listening()
    liveness.startChecks()
    pass(2_500)
    client.hear('pingresp')
    pass(500)
    expect(giveUp).not.toHaveBeenCalled()
    pass(1_000)
    expect(client.sendPing).toHaveBeenCalledTimes(2)
    pass(1_999)
    expect(giveUp).not.toHaveBeenCalled()
    pass(1)
    expect(giveUp).toHaveBeenCalledOnce()
  })

  it('ignores a packet that arrived before the first message was sent', () => {
    const { client, liveness } = listening()
    client.hear()
    liveness.startChecks()
    pass(1_000)
    expect(client.sendPing).toHaveBeenCalledOnce()
  })

  it('pauses when no answer is owed any more, until a message is sent', () => {
    const { state, client, giveUp, liveness } = listening()
    liveness.startChecks()
    pass(2_000)
    state.owed = false
    pass(60_000)
    expect([giveUp.mock.calls.length, vi.getTimerCount()]).toEqual([0, 0])
    state.owed = true
    liveness.startChecks()
    pass(2_999)
    expect(client.sendPing).toHaveBeenCalledTimes(2)
    expect(giveUp).not.toHaveBeenCalled()
    pass(1)
    expect(giveUp).toHaveBeenCalledOnce()
  })

  it('gives up only after three times the usual time of an answer, if that is longer than half of publishTimeoutMs', () => {
    const { state, client, giveUp, liveness } = listening()
    state.usualMs = 5_000.4
    liveness.startChecks()
    pass(4_999)
    expect(client.sendPing).not.toHaveBeenCalled()
    pass(10_002)
    expect(giveUp).toHaveBeenCalledExactlyOnceWith(
      new Error('nothing came from the broker for 15001 ms, not even the answer to a ping'),
    )
  })

  it('waits at most 2³¹ − 1 milliseconds, the maximum of a timer', () => {
    const { state, client, liveness } = listening()
    state.usualMs = 2 ** 40
    liveness.startChecks()
    pass(2_147_483_646)
    expect(client.sendPing).not.toHaveBeenCalled()
    pass(1)
    expect(client.sendPing).toHaveBeenCalledOnce()
  })

  it('doubles its time limit after each connection that it gave up, until the broker acknowledges a message', () => {
    const { giveUp, liveness, begin } = listening()
    const untilGivenUp = () => {
      begin()
      liveness.startChecks()
      const before = giveUp.mock.calls.length
      let milliseconds = 0
      for (; giveUp.mock.calls.length === before; milliseconds += 1_000) pass(1_000)
      liveness.end()
      return milliseconds
    }
    expect([untilGivenUp(), untilGivenUp(), untilGivenUp()]).toEqual([3_000, 6_000, 12_000])
    liveness.recordAcknowledgement()
    expect(untilGivenUp()).toBe(3_000)
  })

  it('ends with the connection, and leaves no timer', () => {
    const { client, liveness } = listening()
    liveness.startChecks()
    liveness.end()
    expect(vi.getTimerCount()).toBe(0)
    // A message sent after the end starts no ping.
    liveness.startChecks()
    pass(1_000)
    expect(client.sendPing).not.toHaveBeenCalled()
  })
})

describe('an MQTT connection with keep-alive', () => {
  function watched() {
    const client = new Client()
    const [ping, giveUp] = [client.sendPing, client.onKeepaliveTimeout]
    const state = { isFull: false }
    keepAlive(client.mqtt, () => state.isFull)
    return { client, ping, giveUp, state }
  }

  it('is given up if no packet has arrived since the last ping', () => {
    const { client, ping, giveUp } = watched()
    client.hear()
    client.mqtt.sendPing()
    expect(ping).toHaveBeenCalledOnce()
    client.mqtt.onKeepaliveTimeout()
    expect(giveUp).toHaveBeenCalledOnce()
    expect(ping).toHaveBeenCalledOnce()
    expect(client.reschedulePing).not.toHaveBeenCalled()
  })

  it.each(['a packet has arrived since', 'reading has paused because the inbox is full'])(
    'sends another ping if %s',
    (why) => {
      const { client, ping, giveUp, state } = watched()
      client.mqtt.sendPing()
      if (why === 'a packet has arrived since') client.hear()
      else state.isFull = true
      client.mqtt.onKeepaliveTimeout()
      expect(giveUp).not.toHaveBeenCalled()
      expect(ping).toHaveBeenCalledTimes(2)
      expect(client.reschedulePing).toHaveBeenCalledExactlyOnceWith(true)
      // The next ping is a new one.
      state.isFull = false
      client.mqtt.onKeepaliveTimeout()
      expect(giveUp).toHaveBeenCalledOnce()
    },
  )
})

describe('the answer to an MQTT ping', () => {
  it('is a PINGRESP and no other packet', async () => {
    const client = new Client()
    let isAnswered = false
    const answered = ping(client.mqtt).then(() => {
      isAnswered = true
    })
    expect(client.sendPing).toHaveBeenCalledOnce()
    client.hear('publish')
    await Promise.resolve()
    expect([isAnswered, client.listenerCount('packetreceive')]).toEqual([false, 1])
    client.hear('pingresp')
    await answered
    expect(client.listenerCount('packetreceive')).toBe(0)
  })
})
