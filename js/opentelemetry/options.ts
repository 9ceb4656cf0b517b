import type { Attributes, MeterProvider, TracerProvider } from '@opentelemetry/api'

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
