import { type Span, SpanStatusCode } from '@opentelemetry/api'
import { textOf } from '../base/errors.js'

/** Ends a span over something that went wrong. */
export function fail(span: Span, error: unknown): void {
  span.setAttribute('error.type', typeOf(error))
  span.recordException(error instanceof Error ? error : textOf(error))
  span.setStatus({ code: SpanStatusCode.ERROR, message: textOf(error) })
  span.end()
}

/** What to count errors by: the code of ours, the name of others. */
export function typeOf(error: unknown): string {
  if (!(error instanceof Error)) return '_OTHER'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
