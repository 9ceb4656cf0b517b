import {
  AlvariumError,
  memory,
  mqtt,
  openSdk,
  type StreamProvider,
  source,
  tee,
  verifyMessage,
} from 'alvarium-sdk'
import { outbox } from 'alvarium-sdk/outbox'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startEmbedded } from '../brokers/embedded.js'
import { textOf, utf8 } from '../support/bytes.js'
import { deferred, quiet } from '../support/deferred.js'
import { newPlace } from '../support/places.js'
import { closing, receiving, take } from '../support/receiving.js'
import { key, keyring, lastOf } from '../support/sdk.js'

const payload = utf8('hello')
const { signingKey } = key
const refusing: StreamProvider = {
  publish: () => {
    throw new Error('no room')
  },
}
const close = () => {}
const silentLogger = { debug: close, info: close, warn: close, error: close }
const open = async (stream: StreamProvider) =>
  closing(await openSdk({ signingKey, annotators: [source()], stream }))

describe('tee', () => {
  it('sends each message to all of its streams, for example to a broker and to memory', async () => {
    const broker = await startEmbedded()
    onTestFinished(broker.stop)
    const messages = receiving({ url: broker.url, topic: 't' })
    await messages.open()
    const kept = memory()
    const sdk = await open(tee(mqtt({ url: broker.url, topic: 't' }), kept))
    const { message } = await sdk.create(payload)
    expect(await take(messages, 1)).toEqual([textOf(message)])
    expect(lastOf(kept)).toEqual(message)
    await verifyMessage(message, { keyring, payload })
  })

  it('resolves a call when all of its streams have accepted the message', async () => {
    const { promise, resolve } = deferred<void>()
    const sdk = await open(tee(memory(), { publish: () => promise }))
    let isSettled = false
    const call = sdk.create(payload).finally(() => {
      isSettled = true
    })
    await new Promise((turn) => setTimeout(turn, 20))
    expect(isSettled).toBe(false)
    resolve()
    await call
  })

  // claim: streams-6
  it('has room only when all of its streams have room', () => {
    const [room, none] = [{ ...memory(), hasRoom: () => true as const }, new Promise<void>(() => {})]
    const full = { ...memory(), hasRoom: () => none }
    const more = { messages: 1, bytes: 9 }
    expect(tee(room, memory(), { ...room }).hasRoom?.(more)).toBe(true)
    for (const streams of [
      [full, room],
      [room, memory(), full],
    ])
      expect(tee(...streams).hasRoom?.(more)).toBe(none)
  })

  it('rejects a call with the reason of a stream that rejects, and the other streams keep the message', async () => {
    const kept = memory()
    const sdk = await open(tee(refusing, kept))
    const failure = await sdk.create(payload).catch((error: unknown) => error)
    expect(failure).toMatchObject({
      code: 'STREAM_FAILED',
      message:
        'tee: expected all of 2 streams to accept the message, got 1 that did not: streams[0]: expected to accept the message, got: no room',
      cause: { code: 'STREAM_FAILED' },
    })
    expect(kept.messages).toHaveLength(1)
  })

  it('reports all reasons if several streams reject, with the code of the first', async () => {
    const late: StreamProvider = {
      publish: async () => {
        throw new AlvariumError('QUEUE_FULL', 'full')
      },
    }
    const sdk = await open(tee(late, memory(), refusing))
    const failure = await sdk.create(payload).catch((error: unknown) => error)
    expect(failure).toMatchObject({
      code: 'QUEUE_FULL',
      cause: { errors: [{ code: 'QUEUE_FULL' }, { code: 'STREAM_FAILED' }] },
    })
    expect(String(failure)).toContain('streams[0]: full; streams[2]: expected to accept')
  })

  // claim: streams-7
  it.each([
    [['STREAM_REFUSED'], 'STREAM_REFUSED'],
    [['accepted', 'STREAM_REFUSED'], 'STREAM_REFUSED'],
    [['STREAM_REFUSED', 'STREAM_REFUSED'], 'STREAM_REFUSED'],
    [['STREAM_REFUSED', 'STREAM_TIMEOUT'], 'STREAM_TIMEOUT'],
    [['STREAM_REFUSED', 'STREAM_SUSPECT'], 'STREAM_SUSPECT'],
    [['STREAM_SUSPECT', 'STREAM_UNAVAILABLE'], 'STREAM_UNAVAILABLE'],
    [['STREAM_REFUSED', 'a foreign error'], 'STREAM_FAILED'],
    [['QUEUE_FULL', 'STREAM_LOST'], 'QUEUE_FULL'],
  ])('over streams that report %s, rejects with %s', async (said, code) => {
    const streams = said.map((word) => ({
      publish: () => {
        if (word === 'a foreign error') throw new Error(word)
        if (word !== 'accepted') throw new AlvariumError(word as never, word)
      },
    }))
    await expect(tee(...streams).publish(payload, {})).rejects.toMatchObject({ code })
  })

  it('makes an outbox around it store a message that one stream refused and another could not receive', async () => {
    let isAway = true
    const away = {
      publish: () => {
        if (isAway) throw new AlvariumError('STREAM_UNREACHABLE', 'away')
      },
    }
    const choosy = {
      publish: () => {
        if (isAway) throw new AlvariumError('STREAM_REFUSED', 'not this one')
      },
    }
    const box = closing(outbox({ stream: tee(choosy, away), store: newPlace() }))
    await box.connect()
    const stored = await box.publish(payload)
    isAway = false
    await stored.delivered
  })

  it('sums the stats() of all streams that have stats()', () => {
    const latency = { count: 2, sumMs: 10, p50Ms: 4, p99Ms: 6, maxMs: 6 }
    const figures = {
      online: true,
      queued: 3,
      waitingForRoom: 1,
      bytes: 10,
      oldestMs: 50,
      inFlight: 2,
      acknowledged: 7,
      resent: 1,
      timedOut: 1,
      refused: 0,
      reconnects: 2,
      lastError: undefined,
      acknowledge: latency,
    }
    const others = {
      online: false,
      queued: 1,
      waitingForRoom: 0,
      bytes: 5,
      oldestMs: 80,
      inFlight: 1,
      acknowledged: 9,
      resent: 0,
      timedOut: 2,
      refused: 1,
      reconnects: 0,
      lastError: 'gone',
      acknowledge: { count: 1, sumMs: 8, p50Ms: 8, p99Ms: 8, maxMs: 8 },
    }
    const publish = () => {}
    const both = tee({ publish, stats: () => figures }, { publish, stats: () => others }, memory())
    expect(both.stats?.()).toEqual({
      online: false,
      queued: 3,
      waitingForRoom: 1,
      bytes: 15,
      oldestMs: 80,
      inFlight: 3,
      acknowledged: 7,
      resent: 1,
      timedOut: 3,
      refused: 1,
      reconnects: 2,
      lastError: 'gone',
      acknowledge: { count: 3, sumMs: 18, p50Ms: 8, p99Ms: 8, maxMs: 8 },
    })
    expect(Object.isFrozen(both.stats?.())).toBe(true)
    expect(tee(memory()).stats).toBeUndefined()
  })

  it.each([
    ['the first', 0],
    ['the last', 1],
  ])(
    'does not resolve receipt.delivered before %s of its streams has delivered the message',
    async (_, late) => {
      const outcomes = [deferred(), deferred()]
      const streams = outcomes.map(({ promise }) => ({ publish: () => ({ delivered: promise }) }))
      const receipt = await (await open(tee(...streams))).create(payload)
      let isDelivered = false
      const delivered = receipt.delivered.then(() => {
        isDelivered = true
      })
      outcomes[1 - late]?.resolve()
      await quiet()
      expect(isDelivered).toBe(false)
      outcomes[late]?.resolve()
      await delivered
    },
  )

  it('rejects receipt.delivered if one of its streams does not deliver the message', async () => {
    const { promise, reject } = deferred<void>()
    promise.catch(() => {})
    const sdk = await open(tee({ publish: () => ({ delivered: promise }) }, memory()))
    const receipt = await sdk.create(payload)
    reject(new Error('given up'))
    await expect(receipt.delivered).rejects.toThrow('given up')
  })

  it('closes its connected streams again when another cannot connect', async () => {
    const said: string[] = []
    const there = { connect: () => said.push('open'), publish: () => {}, close: () => said.push('close') }
    const away = {
      connect: () => Promise.reject(new Error('away')),
      publish: () => {},
      close: () => said.push('never'),
    }
    await expect(open(tee(there, away))).rejects.toMatchObject({ code: 'STREAM_UNREACHABLE' })
    expect(said).toEqual(['open', 'close'])
  })

  it('closes its connected streams if the caller aborts while another stream is connecting', async () => {
    const [signal, closed, slow] = [new AbortController(), deferred(), deferred()]
    const there = { publish: () => {}, close: () => closed.resolve() }
    const stream = tee(there, { publish: () => {}, connect: () => slow.promise })
    const connecting = stream.connect?.({ logger: silentLogger, signal: signal.signal })
    signal.abort(new Error('enough'))
    await expect(connecting).rejects.toThrow('enough')
    await closed.promise
  })

  it('works with streams that have neither connect() nor close()', async () => {
    const silent = { publish: () => {} }
    const away = { ...silent, connect: () => Promise.reject(new Error('away')) }
    await tee(silent, memory()).connect?.({ logger: silentLogger })
    await tee(silent, memory()).close?.()
    await expect(tee(silent, away).connect?.({ logger: silentLogger })).rejects.toMatchObject({
      code: 'STREAM_UNREACHABLE',
      message:
        'tee: expected all of 2 streams to connect, got 1 that did not: streams[1]: stream.connect: failed: away',
    })
  })

  it.each([
    ['each of them does, or has nothing to close', [{ close, drainsOnClose: true }, {}], true],
    ['one of them does not', [{ close, drainsOnClose: true }, { close }], false],
  ])('drains on close only if all of its streams drain: %s', (_, streams, drainsOnClose) => {
    const all = streams.map((stream) => ({ publish: () => {}, ...stream }))
    expect(Boolean(tee(...all).drainsOnClose)).toBe(drainsOnClose)
  })

  it('resolves publish() with undefined if none of its streams promises a later delivery', async () => {
    const odd = { publish: () => null }
    expect(await tee(memory(), odd).publish(payload, {})).toBeUndefined()
  })

  it('closes all of its streams, even if one of them fails to close', async () => {
    const said: string[] = []
    const bad = { publish: () => {}, close: () => Promise.reject(new Error('stuck')) }
    const sdk = await openSdk({
      signingKey,
      annotators: [],
      stream: tee(bad, { publish: () => {}, close: () => said.push('b') }),
    })
    await expect(sdk.close()).rejects.toMatchObject({
      code: 'STREAM_FAILED',
      message: expect.stringMatching(/2 streams to close, got 1 that did not: streams\[0\]: .*, got: stuck$/),
    })
    expect(said).toEqual(['b'])
  })

  it.each<[string, () => unknown, string]>([
    ['no streams', () => tee(), 'tee: needs at least one stream'],
    [
      'an invalid stream',
      () => tee(memory(), {} as never),
      'tee: expected streams[1] with publish(), got an Object',
    ],
    [
      'one stream twice',
      () => tee(refusing, refusing),
      'tee: expected each stream once, got streams[1] twice',
    ],
  ])('refuses invalid arguments: %s', (_, call, message) => {
    expect(call).toThrow(message)
  })
})
