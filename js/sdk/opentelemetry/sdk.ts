import { type Attributes, context, type Span, SpanKind, trace } from '@opentelemetry/api'
import type { AnnotatorErrorEvent } from '../../foundation/base/events.js'
import type { StreamDestination } from '../../transport/streams/stream.js'
import type { SdkStats } from '../config/stats.js'
import type { Receipt } from '../delivery/receipt.js'
import { withTraceContext } from '../delivery/tracing.js'
import { registerFigures } from './figures.js'
import {
  fail,
  overrideMembers,
  quietly,
  readSdkInstruments,
  SCOPE,
  type SdkInstrumentOptions,
  spanKeyOf,
  startSpan,
  traceContextOf,
} from './instrument.js'

const CALLS = ['create', 'mutate', 'transit', 'publish', 'createMany'] as const

/** SDK that can be instrumented, with the members that the instrumentation uses. */
export type InstrumentableSdk = {
  readonly [Call in (typeof CALLS)[number]]: (...given: never[]) => Promise<Receipt | Receipt[]>
} & {
  /** Destination of the messages, for the attributes of spans. */
  readonly destination?: StreamDestination | undefined
  /** Returns the SDK's statistics, from which the metrics are made. */
  stats(): SdkStats
  /** Adds a listener for failed annotators, which become a metric. */
  addEventListener(type: 'annotatorerror', listener: (event: AnnotatorErrorEvent) => void): void
  /** Closes the SDK, which ends the metrics. */
  close(): Promise<void>
}

/**
 * Instruments an SDK: the returned SDK behaves like the given one, and reports to OpenTelemetry.
 *
 * Each call is a span, such as `alvarium create`, until the message was delivered to the stream's
 * destination. The event `accepted` marks the acceptance by the stream, such as an outbox. The span is a
 * child of the span that is active at the call, and the parent of annotators' spans. Its attributes
 * `alvarium.bundle.id` and `alvarium.key`, the payload key, let you find the spans of consumers. With hash
 * `none`, `alvarium.key` is the SHA-256 of the payload. Other attributes are `alvarium.bundles` (the number
 * of bundles), `alvarium.message.size`, and `error.type` if the call failed. `createMany` is one span,
 * which has neither `alvarium.bundle.id` nor `alvarium.key` if there are several bundles.
 *
 * Spans also have attributes of OpenTelemetry's conventions for messaging: `messaging.message.body.size`, or
 * for several messages `messaging.batch.message_count`. If the stream states its destination, as `mqtt` does,
 * they also have `messaging.system`, `messaging.destination.name`, `messaging.operation.type` and
 * `messaging.operation.name`.
 *
 * The span's trace context is published with the message: `mqtt` sends it to MQTT 5 brokers as user
 * properties `traceparent` and `tracestate`.
 * A batch has the trace context of the first of its calls that has one. Trace contexts are unsigned.
 *
 * The numbers of `sdk.stats()` are reported as metrics, `alvarium.sdk.…` and `alvarium.stream.…`, until the
 * SDK is closed. `alvarium.annotator.failures` counts annotators that failed, by their `kind`.
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
export function instrumentSdk<T extends InstrumentableSdk>(sdk: T, options: SdkInstrumentOptions = {}): T {
  const { meterProvider, tracerProvider, attributes, propagate } = readSdkInstruments(options)
  const meter = meterProvider.getMeter(SCOPE)
  const tracer = tracerProvider.getTracer(SCOPE)
  const failures = meter.createCounter('alvarium.annotator.failures', { unit: '{answer}' })
  sdk.addEventListener('annotatorerror', ({ kind }) => failures.add(1, { ...attributes, kind }))
  const end = registerFigures(meter, () => sdk.stats(), attributes)
  const calls = CALLS.map((name) => {
    const call = (...given: never[]) => {
      const all = { ...attributes, ...messagingOf(sdk, name) }
      const span = startSpan(tracer, `alvarium ${name}`, { kind: SpanKind.PRODUCER, attributes: all })
      const traceContext = propagate ? traceContextOf(span) : undefined
      return runInSpan(span, () => withTraceContext(traceContext, () => sdk[name](...given)))
    }
    return [name, call] as const
  })
  const close = () => sdk.close().finally(end)
  return overrideMembers(sdk, { ...Object.fromEntries(calls), close, [Symbol.asyncDispose]: close })
}

/** Returns attributes of OpenTelemetry's conventions for messaging, or none if the destination is unknown. */
function messagingOf(sdk: InstrumentableSdk, name: string): Attributes {
  const destination = quietly(() => sdk.destination)
  if (!destination) return {}
  const operation = { 'messaging.operation.type': 'send', 'messaging.operation.name': name }
  return {
    ...operation,
    'messaging.system': destination.system,
    ...(destination.name !== undefined && { 'messaging.destination.name': destination.name }),
  }
}

async function runInSpan<T extends Receipt | Receipt[]>(span: Span, call: () => Promise<T>): Promise<T> {
  try {
    const done = await context.with(trace.setSpan(context.active(), span), call)
    // Skip the attributes of a span that is not recorded.
    if (quietly(() => span.isRecording())) void endWhenDelivered(span, [done].flat())
    else quietly(() => span.end())
    return done
  } catch (error) {
    fail(span, error)
    throw error
  }
}

/** Ends the span when all messages were delivered. Callers need not await the returned promise. */
async function endWhenDelivered(span: Span, receipts: readonly Receipt[]): Promise<void> {
  const messages = new Map(receipts.map((receipt) => [receipt.message, receipt]))
  quietly(() => recordAccepted(span, receipts, [...messages.keys()]))
  try {
    await Promise.all([...messages.values()].map(({ delivered }) => delivered))
    quietly(() => span.end())
  } catch (error) {
    fail(span, error)
  }
}

function recordAccepted(span: Span, receipts: readonly Receipt[], messages: readonly Uint8Array[]): void {
  const size = messages.reduce((sum, { length }) => sum + length, 0)
  span.addEvent('accepted')
  span.setAttributes({ 'alvarium.bundles': receipts.length, 'alvarium.message.size': size })
  span.setAttributes(
    messages.length === 1
      ? { 'messaging.message.body.size': size }
      : { 'messaging.batch.message_count': messages.length },
  )
  const [only] = receipts
  if (!only || receipts.length > 1) return
  span.setAttributes({ 'alvarium.key': spanKeyOf(only.bundle), 'alvarium.bundle.id': only.id })
}
