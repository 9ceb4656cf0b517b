import { type Attributes, type MeterProvider, metrics, type TracerProvider, trace } from '@opentelemetry/api'
import * as v from 'valibot'
import { readOptions, strict, withMethods } from '../base/options/schema.js'

/** What spans and metrics are made with. */
export interface InstrumentOptions {
  /** Makes the spans. Default: the one that is registered, when something is instrumented. */
  readonly tracerProvider?: TracerProvider | undefined
  /** Makes the metrics. Default: the one that is registered, when something is instrumented. */
  readonly meterProvider?: MeterProvider | undefined
  /** Goes with every span and every metric, to tell several SDKs or subscriptions of a process apart. Default: none. */
  readonly attributes?: Attributes | undefined
}

/** The name under which spans and metrics are found: OpenTelemetry's instrumentation scope. */
export const SCOPE = 'alvarium-sdk'

const schema = strict({
  tracerProvider: v.optional(withMethods<TracerProvider>('a TracerProvider with getTracer()', 'getTracer')),
  meterProvider: v.optional(withMethods<MeterProvider>('a MeterProvider with getMeter()', 'getMeter')),
  attributes: v.optional(
    v.custom<Attributes>((value) => typeof value === 'object' && value !== null, 'an object with attributes'),
  ),
})

/**
 * The options with their defaults filled in.
 *
 * @throws AlvariumError `CONFIG_INVALID`
 */
export function readInstruments(options: InstrumentOptions) {
  const { tracerProvider = trace, meterProvider = metrics, attributes = {} } = readOptions(schema, options)
  return { tracerProvider, meterProvider, attributes }
}
