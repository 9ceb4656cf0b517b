import type { TraceContext } from '../../foundation/model/trace-context.js'

let current: TraceContext | undefined

/**
 * Sets a trace context for the call that `begin` makes. The call takes the context before it first waits or
 * asks an annotator, because the context would otherwise also apply to calls that an annotator makes.
 */
export function withTraceContext<T>(traceContext: TraceContext | undefined, begin: () => T): T {
  current = traceContext
  try {
    return begin()
  } finally {
    current = undefined
  }
}

/** Returns the trace context of the call that begins, and removes it for later calls. */
export function takeTraceContext(): TraceContext | undefined {
  const traceContext = current
  current = undefined
  return traceContext
}
