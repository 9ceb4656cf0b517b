import { context, type Span, SpanKind, trace } from '@opentelemetry/api'
import type { AnnotatorErrorEvent } from '../base/events.js'
import type { SdkStats } from '../config/stats.js'
import type { Receipt } from '../delivery/receipt.js'
import { observed } from './figures.js'
import {
  fail,
  type InstrumentOptions,
  quietly,
  readInstruments,
  SCOPE,
  spanKeyOf,
  standingIn,
  startSpan,
} from './instrument.js'

const CALLS = ['create', 'mutate', 'transit', 'publish', 'createMany'] as const

/** What of an SDK is looked at: each of its calls, and its figures. */
export type Annotating = {
  readonly [Call in (typeof CALLS)[number]]: (...given: never[]) => Promise<Receipt | Receipt[]>
} & {
  /** Its figures, which become metrics. */
  stats(): SdkStats
  /** Tells of annotators that failed, which are counted. */
  addEventListener(type: 'annotatorerror', listener: (event: AnnotatorErrorEvent) => void): void
  /** Ends the metrics. */
  close(): Promise<void>
}

/**
 * An SDK that does what the given one does, and says so: use it in its place.
 *
 * Each call is a span, `alvarium create` and so on, from the call until its message has arrived where the stream goes: with an
 * outbox too, whose storing it is an event, `accepted`, of the span. Spans are children of what is active where the call is
 * made, and what annotators do, of them. They have `alvarium.bundle.id` and the payload's `alvarium.key`, with which
 * you find the consumers' spans, `alvarium.message.size`, and `error.type` if it failed. With hash `none`, where the
 * payload key is the payload, `alvarium.key` is its SHA-256. `createMany` is one span.
 *
 * What `sdk.stats()` has is metrics, `alvarium.sdk.…` and `alvarium.stream.…`, until the SDK is closed; and
 * `alvarium.annotator.failures` counts annotators that failed, by their `kind`.
 *
 * @throws AlvariumError `CONFIG_INVALID` naming the option
 *
 * @example
 * ```ts
 * import { openSdk } from 'alvarium-sdk'
 * import { instrumentSdk } from 'alvarium-sdk/opentelemetry'
 *
 * await using sdk = instrumentSdk(await openSdk({ signingKey, annotators, stream }))
 * await sdk.create(payload)
 * ```
 */
export function instrumentSdk<T extends Annotating>(sdk: T, options: InstrumentOptions = {}): T {
  const { meterProvider, tracerProvider, attributes } = readInstruments(options)
  const meter = meterProvider.getMeter(SCOPE)
  const tracer = tracerProvider.getTracer(SCOPE)
  const failures = meter.createCounter('alvarium.annotator.failures', { unit: '{answer}' })
  sdk.addEventListener('annotatorerror', ({ kind }) => failures.add(1, { ...attributes, kind }))
  const end = observed(meter, () => sdk.stats(), attributes)
  const calls = CALLS.map((name) => {
    const call = (...given: never[]) => {
      const span = startSpan(tracer, `alvarium ${name}`, { kind: SpanKind.PRODUCER, attributes })
      return spanning(span, () => sdk[name](...given))
    }
    return [name, call] as const
  })
  const close = () => sdk.close().finally(end)
  return standingIn(sdk, { ...Object.fromEntries(calls), close, [Symbol.asyncDispose]: close })
}

async function spanning<T extends Receipt | Receipt[]>(span: Span, call: () => Promise<T>): Promise<T> {
  try {
    const done = await context.with(trace.setSpan(context.active(), span), call)
    // Nobody is going to see it: nothing need be read.
    if (quietly(() => span.isRecording())) void arrival(span, [done].flat())
    else quietly(() => span.end())
    return done
  } catch (error) {
    fail(span, error)
    throw error
  }
}

/** The span ends when all has arrived, for which the caller need not wait. */
async function arrival(span: Span, receipts: readonly Receipt[]): Promise<void> {
  const messages = new Map(receipts.map((receipt) => [receipt.message, receipt]))
  quietly(() => tellAccepted(span, receipts, sizeOf(messages.keys())))
  try {
    await Promise.all([...messages.values()].map(({ delivered }) => delivered))
    quietly(() => span.end())
  } catch (error) {
    fail(span, error)
  }
}

function tellAccepted(span: Span, receipts: readonly Receipt[], size: number): void {
  span.addEvent('accepted')
  span.setAttributes({ 'alvarium.bundles': receipts.length, 'alvarium.message.size': size })
  const [only] = receipts
  if (!only || receipts.length > 1) return
  span.setAttributes({ 'alvarium.key': spanKeyOf(only.bundle), 'alvarium.bundle.id': only.id })
}

function sizeOf(messages: Iterable<Uint8Array>): number {
  let size = 0
  for (const { length } of messages) size += length
  return size
}
