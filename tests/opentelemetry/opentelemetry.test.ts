// @own-process: it counts unhandled rejections of the process
import { setTimeout as sleep } from 'node:timers/promises'
import {
  context,
  diag,
  type MeterProvider as MeterProviderOfApi,
  type SpanStatus,
  SpanStatusCode,
  type TracerProvider,
  trace,
} from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import { classic, type DedupOptions, keyOf, memory, mqtt, openSdk, source, subscribe } from 'alvarium-sdk'
import {
  contextOf,
  type InstrumentableSubscription,
  instrumentSdk,
  instrumentSubscription,
} from 'alvarium-sdk/opentelemetry'
import { outbox } from 'alvarium-sdk/outbox'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { startEmbedded } from '../brokers/embedded.js'
import { unhandledRejections } from '../plug-ins/faults.js'
import { utf8 } from '../support/bytes.js'
import { newPlace } from '../support/places.js'
import { closing } from '../support/receiving.js'
import { key, keyring } from '../support/sdk.js'

const { signingKey } = key
const payload = utf8('hello')

beforeAll(() => void context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable()))
afterAll(() => context.disable())

/** Sets up OpenTelemetry's SDK with exporters that store what they export. */
function telemetry() {
  const spans = new InMemorySpanExporter()
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] })
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 })
  const meterProvider = new MeterProvider({ readers: [reader] })
  onTestFinished(() => meterProvider.shutdown())
  /** Returns the newest value of a metric for each set of attributes. */
  const metric = async (name: string) => {
    exporter.reset()
    await meterProvider.forceFlush()
    const all = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics)
    const found = all.flatMap(({ metrics }) => metrics).filter(({ descriptor }) => descriptor.name === name)
    return found.flatMap(({ dataPoints }) =>
      dataPoints.map(({ value, attributes }) => ({ value, attributes })),
    )
  }
  return { options: { tracerProvider, meterProvider }, tracerProvider, metric, ended: () => endedOf(spans) }
}

interface Ended {
  readonly name: string
  readonly attributes: ReadableSpan['attributes']
  readonly events: string[]
  readonly status: SpanStatus
  readonly parent: string | undefined
  readonly id: string
}

function endedOf(exporter: InMemorySpanExporter): Ended[] {
  return exporter.getFinishedSpans().map((span) => ({
    name: span.name,
    attributes: span.attributes,
    events: span.events.map(({ name }) => name),
    status: span.status,
    parent: span.parentSpanContext?.spanId,
    id: span.spanContext().spanId,
  }))
}

describe('an instrumented SDK', () => {
  it('makes a span for each call, with the attributes of the call', async () => {
    const { options, ended } = telemetry()
    const plain = await openSdk({ signingKey, annotators: [source()], stream: memory() })
    await using sdk = instrumentSdk(plain, { ...options, attributes: { line: 'a' } })
    const { message } = await sdk.create(payload)
    await sdk.mutate(payload, utf8('other'))
    await expect.poll(ended).toHaveLength(2)
    expect(ended()).toMatchObject([
      {
        name: 'alvarium create',
        attributes: {
          line: 'a',
          'alvarium.key': keyOf(payload),
          'alvarium.bundles': 1,
          'alvarium.message.size': message.length,
        },
        events: ['accepted'],
        status: { code: SpanStatusCode.UNSET },
      },
      { name: 'alvarium mutate', attributes: { 'alvarium.key': keyOf(utf8('other')) } },
    ])
  })

  it("records the payload's SHA-256 in a span, and never the payload, even with hash none", async () => {
    const { options, ended } = telemetry()
    const plain = await openSdk({ signingKey, annotators: [source()], stream: memory(), hash: 'none' })
    await using sdk = instrumentSdk(plain, options)
    const { id } = await sdk.create(utf8('a secret'))
    await expect.poll(ended).toHaveLength(1)
    const about = { 'alvarium.key': keyOf(utf8('a secret')), 'alvarium.bundle.id': id }
    expect(ended()).toMatchObject([{ attributes: about }])
  })

  it("makes the span of a call a child of the active span, and the parent of the annotators' spans", async () => {
    const { options, ended, tracerProvider } = telemetry()
    const tracer = tracerProvider.getTracer('test')
    const isSatisfied = () => {
      tracer.startSpan('look').end()
      return true
    }
    const looks = { kind: 'looks', isSatisfied }
    const plain = await openSdk({ signingKey, annotators: [looks], stream: memory() })
    await using sdk = instrumentSdk(plain, options)
    const outer = tracer.startSpan('outer')
    await context.with(trace.setSpan(context.active(), outer), () => sdk.create(payload))
    await expect.poll(() => ended().map(({ name }) => name)).toEqual(['look', 'alvarium create'])
    const [look, call] = ended()
    expect(call?.parent).toBe(outer.spanContext().spanId)
    expect(look?.parent).toBe(call?.id)
  })

  it('records in the span of a failed call why the call failed', async () => {
    const { options, ended } = telemetry()
    const stream = { publish: () => Promise.reject(new Error('no room')) }
    await using sdk = instrumentSdk(await openSdk({ signingKey, annotators: [source()], stream }), options)
    await expect(sdk.transit(payload)).rejects.toMatchObject({ code: 'STREAM_FAILED' })
    expect(ended()).toMatchObject([
      {
        name: 'alvarium transit',
        attributes: { 'error.type': 'STREAM_FAILED' },
        events: ['exception'],
        status: { code: SpanStatusCode.ERROR, message: expect.stringContaining('no room') },
      },
    ])
  })

  it('makes one span for each call of createMany', async () => {
    const { options, ended } = telemetry()
    const plain = await openSdk({ signingKey, annotators: [source()], stream: memory() })
    await using sdk = instrumentSdk(plain, options)
    await sdk.createMany(Array.from({ length: 300 }, () => payload))
    await expect
      .poll(ended)
      .toMatchObject([
        { name: 'alvarium createMany', attributes: { 'alvarium.bundles': 300 }, events: ['accepted'] },
      ])
  })

  // claim: delivery-50
  it('ends the span when the message is delivered, not when an outbox has stored it', async () => {
    const { options, ended } = telemetry()
    let arrive = () => {}
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve
    })
    const stream = outbox({ stream: { publish: () => arrived }, store: await newPlace() })
    const sdk = instrumentSdk(await openSdk({ signingKey, annotators: [source()], stream }), options)
    await sdk.create(payload)
    await sleep(20)
    expect(ended()).toEqual([])
    arrive()
    await expect.poll(ended).toMatchObject([{ name: 'alvarium create', events: ['accepted'] }])
    await sdk.close()
  })

  it('reports the statistics of the SDK and of its stream as metrics until it is closed', async () => {
    const { options, metric } = telemetry()
    const broker = await startEmbedded()
    onTestFinished(broker.stop)
    const fails = {
      kind: 'fails',
      isSatisfied: () => {
        throw new Error('no')
      },
    }
    const plain = await openSdk({
      signingKey,
      annotators: [source(), fails],
      stream: mqtt({ url: broker.url, topic: 't' }),
    })
    const sdk = instrumentSdk(plain, { ...options, attributes: { line: 'a' } })
    await sdk.create(payload)
    await sdk.create(payload)
    const attributes = { line: 'a' }
    expect(await metric('alvarium.sdk.accepted')).toEqual([{ value: 2, attributes }])
    expect(await metric('alvarium.stream.acknowledged')).toEqual([{ value: 2, attributes }])
    expect(await metric('alvarium.stream.online')).toEqual([{ value: 1, attributes }])
    expect(await metric('alvarium.stream.acknowledge.count')).toEqual([{ value: 2, attributes }])
    expect(await metric('alvarium.annotator.failures')).toEqual([
      { value: 2, attributes: { line: 'a', kind: 'fails' } },
    ])
    const { seal } = sdk.stats()
    expect(await metric('alvarium.sdk.seal.time')).toEqual([{ value: seal.sumMs / 1000, attributes }])
    expect(await metric('alvarium.sdk.seal.duration')).toContainEqual({
      value: seal.maxMs / 1000,
      attributes: { line: 'a', quantile: '1' },
    })
    await sdk.close()
    expect(await metric('alvarium.stream.online')).toEqual([{ value: 0, attributes }])
    const stats = vi.spyOn(plain, 'stats')
    expect(await metric('alvarium.stream.online')).toEqual([{ value: 0, attributes }])
    expect(stats).not.toHaveBeenCalled()
  })
})

/** Returns telemetry whose calls all throw; its spans report that they record. */
function throwing() {
  const oops = () => {
    throw new Error('oops')
  }
  const span: object = new Proxy({}, { get: (_, name) => (name === 'isRecording' ? () => true : oops) })
  const broken = (own: object) => new Proxy(own, { get: (_, name) => Reflect.get(own, name) ?? oops })
  return {
    tracerOf: (startSpan = () => span) => ({ getTracer: () => ({ startSpan }) }) as unknown as TracerProvider,
    oops: oops as () => never,
    /** Meters whose counters and histograms throw, and whose observable metrics do nothing. */
    meterProvider: {
      getMeter: () => ({
        createCounter: () => broken({}),
        createHistogram: () => broken({}),
        createObservableCounter: () => ({}),
        createObservableGauge: () => ({}),
        addBatchObservableCallback: () => {},
      }),
    } as unknown as MeterProviderOfApi,
  }
}

describe('OpenTelemetry code that throws', () => {
  const { tracerOf, meterProvider, oops } = throwing()

  it.each([
    ['spans', tracerOf()],
    ['a tracer', tracerOf(oops)],
  ])(
    'in %s does not change the result of a call, and causes no unhandled rejection',
    async (_, tracerProvider) => {
      const unhandled = unhandledRejections()
      const stream = memory()
      const plain = await openSdk({ signingKey, annotators: [source()], stream })
      await using sdk = instrumentSdk(plain, { tracerProvider, meterProvider })
      const { message } = await sdk.create(payload)
      expect(stream.messages).toEqual([message])
      await sleep(0)
      expect(unhandled).toEqual([])
    },
  )

  it.each([
    ['spans', tracerOf()],
    ['a tracer', tracerOf(oops)],
  ])('in %s does not replace the reason why a call failed', async (_, tracerProvider) => {
    const stream = { publish: () => Promise.reject(new Error('no room')) }
    const plain = await openSdk({ signingKey, annotators: [source()], stream })
    await using sdk = instrumentSdk(plain, { tracerProvider, meterProvider })
    await expect(sdk.create(payload)).rejects.toMatchObject({ code: 'STREAM_FAILED' })
  })

  it("is reported to OpenTelemetry's own log, which may throw too", async () => {
    const error = vi.fn(oops)
    onTestFinished(() => diag.disable())
    diag.setLogger({ ...console, verbose() {}, error })
    const plain = await openSdk({ signingKey, annotators: [source()], stream: memory() })
    await using sdk = instrumentSdk(plain, { tracerProvider: tracerOf(oops), meterProvider })
    await sdk.create(payload)
    expect(error).toHaveBeenCalledWith('alvarium-sdk: telemetry threw', new Error('oops'))
  })

  it('does not prevent a loop from receiving and acknowledging bundles', async () => {
    const broker = await startEmbedded()
    onTestFinished(broker.stop)
    const { url } = broker
    const plain = closing(subscribe({ url, topic: 't', durable: false, keyring, ack: 'manual' }))
    const bundles = instrumentSubscription(plain, { tracerProvider: tracerOf(), meterProvider })
    await bundles.open()
    const stream = mqtt({ url, topic: 't' })
    const sdk = closing(await openSdk({ signingKey, annotators: [source()], stream }))
    await sdk.createMany([payload, payload])
    const given: boolean[] = []
    for await (const bundle of bundles) {
      if (given.push(bundle.dup) === 1) bundle.nack()
      else await bundle.ack()
      if (given.length === 3) break
    }
    expect(given.filter((dup) => dup)).toHaveLength(1)
  })
})

describe('an instrumented subscription', () => {
  /** Opens an instrumented subscription and an SDK that publishes to it; returns both, with their telemetry. */
  async function consuming(ack: 'next' | 'manual', dedup?: DedupOptions) {
    const { options, ended, metric, tracerProvider } = telemetry()
    const broker = await startEmbedded()
    onTestFinished(broker.stop)
    const { url } = broker
    const plain = closing(subscribe({ url, topic: 't', durable: false, keyring, ack, dedup }))
    const bundles = instrumentSubscription(plain, options)
    await bundles.open()
    const stream = mqtt({ url, topic: 't' })
    const sdk = closing(await openSdk({ signingKey, annotators: [source()], stream }))
    return { bundles, sdk, stream, ended, metric, tracer: tracerProvider.getTracer('test') }
  }

  // claim: delivery-51
  it('makes a span for each bundle, which ends when the bundle is acknowledged', async () => {
    const { bundles, sdk, ended, metric } = await consuming('next')
    await sdk.createMany([payload, payload])
    const ids: string[] = []
    for await (const { id } of bundles) {
      expect(ended()).toHaveLength(ids.length)
      if (ids.push(id) === 2) break
    }
    const span = { name: 'alvarium process', status: { code: SpanStatusCode.UNSET } }
    const about = { 'alvarium.key': keyOf(payload), 'alvarium.action': 'create' }
    expect(ended()).toMatchObject([
      { ...span, attributes: { ...about, 'alvarium.bundle.id': ids[0], 'alvarium.outcome': 'ack' } },
      { ...span, attributes: { ...about, 'alvarium.bundle.id': ids[1], 'alvarium.outcome': 'left' } },
    ])
    expect(await metric('alvarium.subscription.bundles')).toEqual([
      { value: 2, attributes: { 'alvarium.action': 'create' } },
    ])
    expect(await metric('alvarium.subscription.process.duration')).toMatchObject([{ value: { count: 2 } }])
  })

  it('makes a span for each classic message, with the payload key of its newest annotation', async () => {
    const { url, stop } = await startEmbedded()
    onTestFinished(stop)
    const { options, ended } = telemetry()
    const plain = subscribe({ url, topic: 'c', durable: false, keyring, classic: true })
    const given = instrumentSubscription(closing(plain), options)
    await given.open()
    const stream = mqtt({ url, topic: 'c' })
    const codec = classic({ signingKey })
    const sdk = closing(await openSdk({ signingKey, annotators: [source()], tag: '', stream, codec }))
    await sdk.mutate(utf8('old'), payload)
    for await (const { id } of given) {
      expect(id).toMatch(/^[0-9a-f]{64}$/)
      break
    }
    const about = {
      'alvarium.key': keyOf(payload),
      'alvarium.action': 'mutate',
      'alvarium.signer': key.keyId,
    }
    expect(ended()).toMatchObject([{ name: 'alvarium process', attributes: about }])
  })

  it("makes the span of a bundle the parent of spans made in the bundle's context", async () => {
    const { bundles, sdk, ended, metric, tracer } = await consuming('manual')
    await sdk.create(payload)
    for await (const bundle of bundles) {
      context.with(contextOf(bundle), () => tracer.startSpan('archive').end())
      if (bundle.dup) {
        await bundle.ack()
        break
      }
      bundle.nack()
      bundle.nack()
    }
    const [first, given, second, done] = ended()
    expect([first?.parent, second?.parent]).toEqual([given?.id, done?.id])
    const [took] = await metric('alvarium.subscription.process.duration')
    expect(took?.value).toMatchObject({ count: 2 })
    expect([given, done].map((span) => span?.attributes['alvarium.outcome'])).toEqual(['nack', 'ack'])
  })

  it('ends the span of each bundle of a group when the bundle or group is settled, or the loop ends', async () => {
    for (const ack of ['next', 'manual'] as const) {
      const { bundles, sdk, ended } = await consuming(ack)
      const ids = (await sdk.createMany([payload, payload, payload, payload])).map(({ id }) => id)
      const outcomes = () =>
        ended().map(({ attributes }) => [attributes['alvarium.bundle.id'], attributes['alvarium.outcome']])
      let count = 0
      for await (const group of bundles.groups({ max: 2, maxMs: 60_000 })) {
        expect(ended()).toHaveLength(2 * count)
        if (++count === 2) break
        group.bundles[0]?.nack()
        if (ack === 'manual') await group.ack()
      }
      expect(outcomes()).toEqual([
        [ids[0], 'nack'],
        [ids[1], 'ack'],
        [ids[2], 'left'],
        [ids[3], 'left'],
      ])
    }
  })

  it('lets a failed acknowledgement of a group be retried', async () => {
    const add = vi.fn().mockRejectedValueOnce(new Error('the store is away')).mockResolvedValue(undefined)
    const unhandled = unhandledRejections()
    const { bundles, sdk } = await consuming('manual', { store: { has: () => false, add } })
    await sdk.create(payload)
    for await (const group of bundles.groups({ max: 1 })) {
      void group.ack()
      await expect.poll(() => add.mock.calls.length).toBe(1)
      await sleep(0)
      await group.ack()
      break
    }
    expect(unhandled).toEqual([])
  })

  it('ends the spans of a group on nack()', async () => {
    const { bundles, sdk, ended } = await consuming('manual')
    await sdk.createMany([payload, payload])
    for await (const group of bundles.groups({ max: 2, maxMs: 60_000 })) {
      if (group.bundles[0]?.dup) break
      group.nack()
    }
    const outcomes = ended().map(({ attributes }) => attributes['alvarium.outcome'])
    expect(outcomes).toEqual(['nack', 'nack', 'left', 'left'])
  })

  it('does not scan all bundles in flight each time it yields a bundle', async () => {
    const count = 1000
    const message = new Uint8Array()
    const bundle = { format: 'bundle', action: 'create', message, ack: async () => {}, nack() {} }
    const many = {
      addEventListener() {},
      async *[Symbol.asyncIterator]() {
        for (let at = 0; at < count; at++) yield { ...bundle }
      },
    }
    const values = Set.prototype[Symbol.iterator]
    let times = 0
    Set.prototype[Symbol.iterator] = function () {
      times++
      return values.call(this)
    }
    onTestFinished(() => {
      Set.prototype[Symbol.iterator] = values
    })
    let given = 0
    for await (const _ of instrumentSubscription(many as unknown as InstrumentableSubscription)) given++
    expect([given, times < count / 10]).toEqual([count, true])
  })

  it('reports rejected messages in a span and in a metric', async () => {
    const { bundles, sdk, stream, ended, metric } = await consuming('next')
    await stream.publish(utf8('{}'))
    await sdk.create(payload)
    for await (const _ of bundles) break
    const attributes = { 'error.type': 'MESSAGE_MALFORMED' }
    expect(ended()[0]).toMatchObject({ name: 'alvarium reject', attributes, status: { code: 2 } })
    expect(await metric('alvarium.subscription.rejected')).toEqual([{ value: 1, attributes }])
  })

  it('refuses a second iterator, like a subscription without instrumentation', async () => {
    const { bundles } = await consuming('next')
    bundles[Symbol.asyncIterator]()
    expect(() => bundles[Symbol.asyncIterator]()).toThrow(expect.objectContaining({ code: 'STREAM_LOCKED' }))
  })
})

describe('an invalid option of the instrumentation', () => {
  it.each([
    ['is misspelt', { tracer: 1 }, 'tracer: is not a known option'],
    [
      'is not a provider',
      { meterProvider: {} },
      'meterProvider: expected a MeterProvider with getMeter(), got',
    ],
    ['is not an object', { attributes: 'a' }, 'attributes: expected an object with attributes, got "a"'],
  ])('is named in the error if it %s', async (_, options, text) => {
    const sdk = await openSdk({ signingKey: key.signingKey, annotators: [source()], stream: memory() })
    expect(() => instrumentSdk(sdk, options as object)).toThrow(text)
    await sdk.close()
    const bundles = closing(subscribe({ url: 'ws://127.0.0.1:9', topic: 't', durable: false, keyring }))
    expect(() => instrumentSubscription(bundles, options as object)).toThrow(text)
  })
})
