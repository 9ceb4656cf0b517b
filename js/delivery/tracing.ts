import type { TraceContext } from '../model/trace-context.js'

let current: TraceContext | undefined

/**
 * Gives a trace context to the call that `begin` makes. A call takes it before it first waits, or asks an annotator: it would otherwise
 * also reach calls that an annotator makes.
 */
export function withTraceContext<T>(traceContext: TraceContext | undefined, begin: () => T): T {
  current = traceContext
  try {
    return begin()
  } finally {
    current = undefined
  }
}

/** Returns the trace context of the call that begins, once. */
export function takeTraceContext(): TraceContext | undefined {
  const taken = current
  current = undefined
  return taken
}
