import {
  type Attributes,
  type Context,
  createTraceState,
  diag,
  INVALID_SPAN_CONTEXT,
  type Link,
  type MeterProvider,
  metrics,
  type Span,
  type SpanOptions,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  type TracerProvider,
  trace,
} from '@opentelemetry/api'
import * as v from 'valibot'
import { textOf } from '../../foundation/base/errors.js'
import { readOptions, strict, withMethods } from '../../foundation/base/options/schema.js'
import { keyOf } from '../../foundation/core/hashing.js'
import type { HashName } from '../../foundation/model/bundle.js'
import { readTraceContext, type TraceContext } from '../../foundation/model/trace-context.js'

/** Providers and attributes of spans and metrics. */
export interface InstrumentOptions {
  /** Provider of the tracer. Default: the globally registered one, even if it is registered later. */
  readonly tracerProvider?: TracerProvider | undefined
  /** Provider of the meter. Default: the globally registered one at the time of instrumentation. */
  readonly meterProvider?: MeterProvider | undefined
  /** Attributes of all spans and metrics, to distinguish SDKs or subscriptions. Default: none. */
  readonly attributes?: Attributes | undefined
}

/** Providers and attributes for {@link instrumentSdk}, and whether trace contexts are published. */
export interface SdkInstrumentOptions extends InstrumentOptions {
  /**
   * True to publish the trace context of a call's span with the message, as `traceparent` and `tracestate`,
   * so that consumers can link to it. It is unsigned, and every receiver can read it. Default `true`.
   */
  readonly propagate?: boolean | undefined
}

export const SCOPE = 'alvarium-sdk'

const tracerProvider = withMethods<TracerProvider>('a TracerProvider with getTracer()', 'getTracer')
const meterProvider = withMethods<MeterProvider>('a MeterProvider with getMeter()', 'getMeter')
const attributes = v.custom<Attributes>(
  (value) => typeof value === 'object' && value !== null,
  'an object with attributes',
)
const entries = {
  tracerProvider: v.optional(tracerProvider, trace),
  meterProvider: v.optional(meterProvider, metrics),
  attributes: v.optional(attributes, {}),
}
const schema = strict(entries)
const sdkSchema = strict({ ...entries, propagate: v.optional(v.boolean('true or false'), true) })

export function readInstruments(options: InstrumentOptions) {
  return readOptions(schema, options)
}

export function readSdkInstruments(options: SdkInstrumentOptions) {
  return readOptions(sdkSchema, options)
}

/**
 * Calls OpenTelemetry, and reports its errors to its own log. An error that reached the caller would make
 * a published message appear to have failed. As an unhandled rejection, it would end the process of Node.
 */
export function quietly<T>(tell: () => T): T | undefined {
  try {
    return tell()
  } catch (error) {
    try {
      diag.error('alvarium-sdk: telemetry threw', error)
    } catch {
      // Ignore an error of OpenTelemetry's log, because nothing can report it.
    }
    return undefined
  }
}

export function startSpan(tracer: Tracer, name: string, options: SpanOptions, parent?: Context): Span {
  const span = quietly(() => tracer.startSpan(name, options, parent))
  return span ?? trace.wrapSpanContext(INVALID_SPAN_CONTEXT)
}

/** Returns the payload key for spans. For hash `none`, where the key is the payload, returns its SHA-256. */
export function spanKeyOf({ key, hash }: { readonly key: string; readonly hash: HashName }): string {
  return hash === 'none' ? keyOf(new TextEncoder().encode(key)) : key
}

export function traceContextOf(span: Span): TraceContext | undefined {
  return quietly(() => {
    const { traceId, spanId, traceFlags, traceState } = span.spanContext()
    const flags = traceFlags & TraceFlags.SAMPLED ? '01' : '00'
    return readTraceContext(`00-${traceId}-${spanId}-${flags}`, traceState?.serialize())
  })
}

/** Returns the links of a span to the span in a message's trace context. */
export function linksTo(traceContext: TraceContext | undefined): Link[] {
  const valid = traceContext && readTraceContext(traceContext.traceparent, traceContext.tracestate)
  if (!valid) return []
  const [, traceId, spanId, flags] = valid.traceparent.split('-') as [string, string, string, string]
  const traceState = valid.tracestate === undefined ? undefined : createTraceState(valid.tracestate)
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true }
  return [{ context: { ...context, ...(traceState && { traceState }) } }]
}

export function fail(span: Span, error: unknown): void {
  quietly(() => {
    span.setAttribute('error.type', typeOf(error))
    span.recordException(error instanceof Error ? error : textOf(error))
    span.setStatus({ code: SpanStatusCode.ERROR, message: textOf(error) })
    span.end()
  })
}

/** Returns the type by which an error is counted: its code, or its name if it has no code. */
export function typeOf(error: unknown): string {
  if (!(error instanceof Error)) return '_OTHER'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}

/** Returns an object that behaves like `whom`, except for the members in `overrides`. */
export function overrideMembers<T extends object>(whom: T, overrides: Record<PropertyKey, unknown>): T {
  return new Proxy(whom, {
    get(target, name) {
      if (Object.hasOwn(overrides, name)) return overrides[name]
      const member: unknown = Reflect.get(target, name)
      // Bind methods to the object itself, because private members are not accessible through the proxy.
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}
