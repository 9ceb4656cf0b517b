// @node-only: it starts Mosquitto
import { openAsBlob } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { type Context, createTraceState, type TracerProvider, trace } from '@opentelemetry/api'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import {
  mqtt,
  openSdk,
  type PublishOptions,
  type ReceivedBundle,
  type StreamProvider,
  type Subscription,
  source,
  subscribe,
  tee,
} from 'alvarium-sdk'
import { instrumentSdk, instrumentSubscription, type SdkInstrumentOptions } from 'alvarium-sdk/opentelemetry'
import { outbox } from 'alvarium-sdk/outbox'
import { pool as openPool } from 'alvarium-sdk/pool'
import { connectAsync, type IClientPublishOptions } from 'mqtt'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { TestBroker } from '../brokers/brokers.js'
import { startEmbedded } from '../brokers/embedded.js'
import { startMosquitto } from '../brokers/mosquitto.js'
import { packet } from '../brokers/scripted.js'
import { utf8 } from '../support/bytes.js'
import { newPlace } from '../support/places.js'
import { closing } from '../support/receiving.js'
import { scripted } from '../support/scripts.js'
import { key, keyring } from '../support/sdk.js'

const payload = utf8('hello')
const signing = { signingKey: key.signingKey, annotators: [source()] }
let broker: TestBroker

beforeAll(async () => {
  broker = await startMosquitto()
})
afterAll(() => broker.stop())

function telemetry() {
  const exporter = new InMemorySpanExporter()
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  const ended = (name: string) => exporter.getFinishedSpans().filter((span) => span.name === name)
  return { tracerProvider, ended }
}

function noting(more: Partial<StreamProvider> = {}) {
  const noted: PublishOptions[] = []
  const publish = (_: Uint8Array, options: PublishOptions) => void noted.push(options)
  return { stream: { publish, ...more }, noted }
}

async function calling(stream: StreamProvider, options: SdkInstrumentOptions, more: object = {}) {
  return closing(instrumentSdk(await openSdk({ ...signing, ...more, stream }), options))
}

async function listening(topic: string, tracerProvider: TracerProvider, where = broker) {
  const plain = closing(subscribe({ url: where.url, topic, durable: false, keyring }))
  const bundles = instrumentSubscription(plain, { tracerProvider })
  await bundles.open()
  return bundles
}

/** Returns the next bundle of a subscription; its span ends as the loop does. */
async function firstOf(bundles: Subscription): Promise<ReceivedBundle> {
  for await (const bundle of bundles) {
    await bundle.ack()
    return bundle
  }
  throw new Error('expected a bundle')
}

/** A traceparent that anyone could send. */
const VALID = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'

describe('the OpenTelemetry trace context of a call', () => {
  // claim: delivery-67
  it("is sent with the message, and the consumer's span links to the span of the call", async () => {
    const { tracerProvider, ended } = telemetry()
    const bundles = await listening('linked', tracerProvider)
    const sdk = await calling(mqtt({ url: broker.url, topic: 'linked' }), { tracerProvider })
    const { id } = await sdk.create(payload)
    const bundle = await firstOf(bundles)
    await expect.poll(() => ended('alvarium create')).toHaveLength(1)
    const [call] = ended('alvarium create')
    const { traceId, spanId, traceFlags } = call?.spanContext() ?? {}
    expect(bundle.traceContext).toEqual({ traceparent: `00-${traceId}-${spanId}-0${traceFlags}` })
    const [process] = ended('alvarium process')
    expect(process?.links).toMatchObject([{ context: { traceId, spanId, traceFlags, isRemote: true } }])
    expect(process?.parentSpanContext).toBeUndefined()
    const ids = [call, process].map((span) => span?.attributes['alvarium.bundle.id'])
    expect(ids).toEqual([id, id])
  })

  it('includes the trace state', async () => {
    const { tracerProvider, ended } = telemetry()
    const bundles = await listening('state', tracerProvider)
    const traceState = createTraceState('vendor=abc,other=1')
    const parent = { traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8), traceFlags: 1, traceState }
    const wrapped = { getTracer: () => ({ startSpan: () => trace.wrapSpanContext(parent) }) }
    const sdk = await calling(mqtt({ url: broker.url, topic: 'state' }), {
      tracerProvider: wrapped as unknown as TracerProvider,
    })
    await sdk.create(payload)
    await firstOf(bundles)
    const [link] = ended('alvarium process')[0]?.links ?? []
    expect(link?.context.traceState?.serialize()).toBe('vendor=abc,other=1')
  })

  it.each([0, 1])('contains the trace flags of the span: %i', async (traceFlags) => {
    const context = { traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8), traceFlags }
    const wrapped = { getTracer: () => ({ startSpan: () => trace.wrapSpanContext(context) }) }
    const { stream, noted } = noting()
    const sdk = await calling(stream, { tracerProvider: wrapped as unknown as TracerProvider })
    await sdk.create(payload)
    const traceparent = `00-${context.traceId}-${context.spanId}-0${traceFlags}`
    expect(noted.map(({ traceContext }) => traceContext)).toEqual([{ traceparent }])
  })

  it('reaches the stream with every kind of call, single, in a batch or through a pool', async () => {
    const { tracerProvider } = telemetry()
    const path = `${newPlace()}/payload`
    await writeFile(path, payload)
    const file = await openAsBlob(path)
    const pool = closing(await openPool({ workers: 1 }))
    const calls = {
      create: (sdk) => sdk.create(payload),
      mutate: (sdk) => sdk.mutate(payload, utf8('new')),
      'mutate of many': (sdk) => sdk.mutate([payload, utf8('b')], utf8('new')),
      transit: (sdk) => sdk.transit(file),
      publish: (sdk) => sdk.publish(payload),
      createMany: (sdk) => sdk.createMany([payload, payload]),
    } satisfies Record<string, (sdk: Awaited<ReturnType<typeof calling>>) => Promise<unknown>>
    const missed: string[] = []
    for (const [how, more] of [
      ['alone', {}],
      ['batch', { batch: { maxDelayMs: 1 } }],
      ['pool', { pool }],
    ] as const) {
      const { stream, noted } = noting()
      const sdk = await calling(stream, { tracerProvider }, more)
      for (const [name, call] of Object.entries(calls)) {
        noted.length = 0
        await call(sdk)
        const isThere = noted.length > 0 && noted.every(({ traceContext }) => traceContext)
        if (!isThere) missed.push(`${name}, ${how}`)
      }
    }
    expect(missed).toEqual([])
  })

  // claim: delivery-73
  it('is sent with a batch only for the first call of the batch', async () => {
    const { tracerProvider, ended } = telemetry()
    const { stream, noted } = noting()
    const sdk = await calling(stream, { tracerProvider }, { batch: { maxBundles: 3, maxDelayMs: 3_600_000 } })
    await Promise.all([sdk.create(payload), sdk.transit(payload), sdk.create(payload)])
    await expect.poll(() => ended('alvarium create')).toHaveLength(2)
    const traceIds = ended('alvarium create').map((span) => span.spanContext().traceId)
    expect(noted.map(({ traceContext }) => traceContext?.traceparent.split('-')[1])).toEqual([traceIds[0]])
  })

  it('is not sent by a second SDK that an annotator calls during the call', async () => {
    const { tracerProvider } = telemetry()
    const [outer, inner] = [noting(), noting()]
    const plain = closing(await openSdk({ ...signing, stream: inner.stream }))
    const asks = { kind: 'asks', isSatisfied: () => plain.create(payload).then(() => true) }
    const sdk = await calling(outer.stream, { tracerProvider }, { annotators: [asks] })
    await sdk.create(payload)
    await plain.create(payload)
    expect(inner.noted.map(({ traceContext }) => traceContext)).toEqual([undefined, undefined])
    expect(outer.noted.map(({ traceContext }) => typeof traceContext)).toEqual(['object'])
  })

  // claim: delivery-68
  it('is not sent if propagate is false, or if there is no span', async () => {
    const { tracerProvider } = telemetry()
    for (const options of [{ tracerProvider, propagate: false }, {}]) {
      const { stream, noted } = noting()
      const sdk = await calling(stream, options)
      await sdk.create(payload)
      expect(noted).toEqual([{ contentType: 'application/json' }])
    }
  })

  it('is not sent if the span throws or has an invalid context', async () => {
    const contexts = [
      () => {
        throw new Error('oops')
      },
      () => ({ traceId: 'X', spanId: '', traceFlags: 1 }),
      () => undefined,
    ]
    for (const spanContext of contexts) {
      const span = { spanContext, isRecording: () => false, end: () => {} }
      const tracerProvider = { getTracer: () => ({ startSpan: () => span }) } as unknown as TracerProvider
      const { stream, noted } = noting()
      const sdk = await calling(stream, { tracerProvider })
      await sdk.create(payload)
      expect(noted.map(({ traceContext }) => traceContext)).toEqual([undefined])
    }
  })

  // claim: delivery-69
  it('is stored in an outbox with the message, and survives a restart', async () => {
    const { tracerProvider, ended } = telemetry()
    const store = newPlace()
    const away = { publish: () => Promise.reject(new Error('away')) }
    const first = await calling(outbox({ stream: away, store, closeTimeoutMs: 1 }), { tracerProvider })
    await first.create(payload)
    await first.close()
    const bundles = await listening('stored', tracerProvider)
    const later = outbox({ stream: mqtt({ url: broker.url, topic: 'stored' }), store })
    closing(await openSdk({ ...signing, stream: later }))
    const bundle = await firstOf(bundles)
    expect(bundle.traceContext).toBeDefined()
    expect(ended('alvarium process')[0]?.links).toHaveLength(1)
  })

  // claim: delivery-70
  it('is not sent over MQTT 3.1.1, although the message is', async () => {
    const old = await startEmbedded()
    onTestFinished(old.stop)
    const { tracerProvider, ended } = telemetry()
    for (const [where, protocolVersion] of [[old], [broker, 4]] as const) {
      const bundles = await listening('old', tracerProvider, where)
      const stream = mqtt({ url: where.url, topic: 'old', protocolVersion })
      const sdk = await calling(stream, { tracerProvider })
      const { id } = await sdk.create(payload)
      const bundle = await firstOf(bundles)
      expect([bundle.id, bundle.traceContext]).toEqual([id, undefined])
    }
    expect(ended('alvarium process').map(({ links }) => links)).toEqual([[], []])
  })

  // claim: delivery-71
  it('is omitted from a packet that would otherwise exceed the maximum packet size of the broker', async () => {
    const { stream, noted } = noting()
    const sizes = closing(await openSdk({ ...signing, stream }))
    const { length } = (await sizes.create(payload)).message
    expect(noted).toHaveLength(1)
    const strict = await startMosquitto({ config: [`max_packet_size ${length + 64}`] })
    onTestFinished(strict.stop)
    const { tracerProvider } = telemetry()
    const bundles = await listening('t', tracerProvider, strict)
    const sdk = await calling(mqtt({ url: strict.url, topic: 't' }), { tracerProvider })
    await sdk.create(payload)
    const bundle = await firstOf(bundles)
    expect(bundle.traceContext).toBeUndefined()
  })

  it('replaces a user property traceparent in the options of the mqtt stream', async () => {
    const { tracerProvider } = telemetry()
    const bundles = await listening('beside', tracerProvider)
    const userProperties = { line: '7', traceparent: 'a fixed one' }
    const sdk = await calling(mqtt({ url: broker.url, topic: 'beside', userProperties }), { tracerProvider })
    await sdk.create(payload)
    const bundle = await firstOf(bundles)
    expect(bundle.traceContext?.traceparent).toMatch(/^00-/)
  })
})

describe('an untrusted trace context', () => {
  const long = `${'x'.repeat(250)}=${'y'.repeat(300)}`
  /** User properties that a subscription receives, and the traceparent and tracestate that its bundle then has. */
  const cases: readonly [string, object, string | undefined, string?][] = [
    ['a valid traceparent and tracestate', { traceparent: VALID, tracestate: 'a=1' }, VALID, 'a=1'],
    ['a traceparent of a later version with more fields', { traceparent: `cc${VALID.slice(2)}-more` }, VALID],
    [
      'a traceparent with undefined flags',
      { traceparent: `${VALID.slice(0, -2)}fe` },
      `${VALID.slice(0, -2)}00`,
    ],
    ['a tracestate in two properties', { traceparent: VALID, tracestate: ['a=1', 'b=2'] }, VALID, 'a=1,b=2'],
    ['a tracestate that is too long', { traceparent: VALID, tracestate: `${long},a=1` }, VALID],
    ['a tracestate that is not ASCII', { traceparent: VALID, tracestate: 'a=é' }, VALID],
    ['a tracestate without a traceparent', { tracestate: 'a=1' }, undefined],
    ['a traceparent in capitals', { traceparent: VALID.toUpperCase() }, undefined],
    ['a trace id of zeros', { traceparent: `00-${'0'.repeat(32)}-00f067aa0ba902b7-01` }, undefined],
    [
      'a span id of zeros',
      { traceparent: `00-4bf92f3577b34da6a3ce929d0e0e4736-${'0'.repeat(16)}-01` },
      undefined,
    ],
    ['a traceparent of version ff', { traceparent: `ff${VALID.slice(2)}` }, undefined],
    ['a traceparent of version 00 with more fields', { traceparent: `${VALID}-more` }, undefined],
    ['a traceparent with a trailing character', { traceparent: `${VALID}\u00a0` }, undefined],
    ['a traceparent with a leading space', { traceparent: ` ${VALID}` }, undefined],
    [
      'a traceparent of 60,000 characters',
      { traceparent: `cc${VALID.slice(2)}-${'x'.repeat(60_000)}` },
      undefined,
    ],
    ['two traceparents', { traceparent: [VALID, VALID] }, undefined],
    ['an empty traceparent', { traceparent: '' }, undefined],
  ]

  // claim: delivery-74, threats-98
  it.each(cases)('is used as far as it follows the W3C rules: %s', async (_, userProperties, used, state) => {
    const { tracerProvider, ended } = telemetry()
    const { stream, noted } = noting()
    const sealing = closing(await openSdk({ ...signing, stream }))
    const { message } = await sealing.create(payload)
    expect(noted).toHaveLength(1)
    const bundles = await listening('stranger', tracerProvider)
    const client = await connectAsync(broker.tcpUrl, { protocolVersion: 5 })
    onTestFinished(() => client.endAsync())
    const properties = { userProperties } as IClientPublishOptions['properties']
    await client.publishAsync('stranger', Buffer.from(message), { qos: 1, properties })
    const bundle = await firstOf(bundles)
    expect([bundle.traceContext?.traceparent, bundle.traceContext?.tracestate]).toEqual([used, state])
    const links = ended('alvarium process')[0]?.links ?? []
    expect(links.map(({ context }) => context.spanId)).toEqual(used ? ['00f067aa0ba902b7'] : [])
    expect(links.map(({ context }) => context.traceState?.serialize())).toEqual(used ? [state] : [])
  })

  it.each([
    [{ traceparent: `${VALID}\n` }, []],
    [{ traceparent: VALID, tracestate: 'a=\u001b[31m' }, ['traceparent']],
    [{ traceparent: VALID, tracestate: 'a=1\nb=2' }, ['traceparent']],
  ])(
    'is sent over MQTT without the members that contain control characters: %j',
    async (traceContext, sent) => {
      const { url, hears } = await scripted({ publish: ({ body }) => packet('puback', body.slice(3, 5)) })
      const stream = closing(mqtt({ url, topic: 't' }))
      await stream.connect()
      await stream.publish(utf8('{}'), { traceContext })
      const [published] = await hears('publish')
      expect(published?.text.match(/traceparent|tracestate/g) ?? []).toEqual(sent)
    },
  )

  it('becomes a link of the span even if its message does not verify', async () => {
    const { tracerProvider, ended } = telemetry()
    const bundles = await listening('rejected', tracerProvider)
    const waiting = firstOf(bundles)
    const stream = closing(mqtt({ url: broker.url, topic: 'rejected' }))
    await stream.connect()
    await stream.publish(utf8('{}'), { traceContext: { traceparent: VALID } })
    await expect.poll(() => ended('alvarium reject')).toHaveLength(1)
    const [rejected] = ended('alvarium reject')
    expect(rejected?.links.map(({ context }) => context.spanId)).toEqual(['00f067aa0ba902b7'])
    const sdk = closing(await openSdk({ ...signing, stream: mqtt({ url: broker.url, topic: 'rejected' }) }))
    await sdk.create(payload)
    await waiting
  })

  it('is not sent by publish() if it is invalid', async () => {
    const { tracerProvider } = telemetry()
    const { stream: keeping } = noting()
    const sealing = closing(await openSdk({ ...signing, stream: keeping }))
    const stream = closing(mqtt({ url: broker.url, topic: 'given' }))
    await stream.connect()
    for (const traceContext of [{ traceparent: 'a\0b' }, { traceparent: 5 }, {}, null, 7] as never[]) {
      const bundles = await listening('given', tracerProvider)
      const { message } = await sealing.create(payload)
      await stream.publish(message, { traceContext })
      const bundle = await firstOf(bundles)
      expect(bundle.traceContext).toBeUndefined()
    }
  })
})

describe("the attributes of OpenTelemetry's messaging conventions", () => {
  // claim: delivery-72
  it('are set on the spans of calls and of bundles', async () => {
    const { tracerProvider, ended } = telemetry()
    const bundles = await listening('messaging', tracerProvider)
    const sdk = await calling(mqtt({ url: broker.url, topic: 'messaging' }), { tracerProvider })
    const { message } = await sdk.mutate(payload, utf8('new'))
    await firstOf(bundles)
    await expect.poll(() => ended('alvarium mutate')).toHaveLength(1)
    const common = {
      'messaging.system': 'mqtt',
      'messaging.destination.name': 'messaging',
      'messaging.message.body.size': message.length,
    }
    expect(ended('alvarium mutate')[0]?.attributes).toMatchObject({
      ...common,
      'messaging.operation.type': 'send',
      'messaging.operation.name': 'mutate',
    })
    expect(ended('alvarium process')[0]?.attributes).toMatchObject({
      ...common,
      'messaging.operation.type': 'process',
      'messaging.operation.name': 'process',
    })
  })

  it('include for createMany the number of messages, but no size', async () => {
    const { tracerProvider, ended } = telemetry()
    const { stream } = noting({ destination: { system: 'kafka', name: 'readings' } })
    const sdk = await calling(stream, { tracerProvider }, { batch: { maxBundles: 2 } })
    await sdk.createMany([payload, payload, payload])
    await expect.poll(() => ended('alvarium createMany')).toHaveLength(1)
    const attributes = ended('alvarium createMany')[0]?.attributes
    expect(attributes).toMatchObject({
      'messaging.system': 'kafka',
      'messaging.destination.name': 'readings',
      'messaging.batch.message_count': 2,
    })
    expect(attributes).not.toHaveProperty('messaging.message.body.size')
  })

  it('name the messaging system behind an outbox or a tee, unless there are several', async () => {
    const kafka = () => noting({ destination: { system: 'kafka', name: 'a' } }).stream
    const two = mqtt({ url: broker.url, topic: ['a', 'b'] })
    const streams: readonly [StreamProvider, readonly unknown[]][] = [
      [outbox({ stream: kafka(), store: newPlace() }), ['kafka', 'a', 'send']],
      [tee(kafka(), noting().stream), ['kafka', 'a', 'send']],
      [tee(kafka(), kafka()), [undefined, undefined, undefined]],
      [noting().stream, [undefined, undefined, undefined]],
      [two, ['mqtt', undefined, 'send']],
    ]
    const names = ['messaging.system', 'messaging.destination.name', 'messaging.operation.type']
    for (const [stream, expected] of streams) {
      const { tracerProvider, ended } = telemetry()
      const sdk = await calling(stream, { tracerProvider })
      await sdk.create(payload)
      await expect.poll(() => ended('alvarium create')).toHaveLength(1)
      expect(names.map((name) => ended('alvarium create')[0]?.attributes[name])).toEqual(expected)
    }
  })

  it('are set when the span starts, so that samplers can use them', async () => {
    const seen: unknown[] = []
    const onStart = (span: { attributes: object }, _: Context) => void seen.push({ ...span.attributes })
    const processor = { onStart, onEnd() {}, forceFlush: async () => {}, shutdown: async () => {} }
    const tracerProvider = new BasicTracerProvider({ spanProcessors: [processor] })
    const { stream } = noting({ destination: { system: 'kafka' } })
    const sdk = await calling(stream, { tracerProvider, attributes: { line: 'a' } })
    await sdk.create(payload)
    expect(seen).toEqual([
      {
        line: 'a',
        'messaging.system': 'kafka',
        'messaging.operation.type': 'send',
        'messaging.operation.name': 'create',
      },
    ])
  })
})
