/**
 * A W3C trace context, which names the span in which a message was made. No signature covers it.
 *
 * @see https://www.w3.org/TR/trace-context/
 */
export interface TraceContext {
  /** Version, trace id, span id and flags: `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. */
  readonly traceparent: string
  /** Entries of tracing systems: at most 512 printable ASCII characters. */
  readonly tracestate?: string | undefined
}

const TRACEPARENT =
  /^(?!ff)([0-9a-f]{2})-((?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16})-([0-9a-f]{2})(-[!-~]{0,200})?$/
const TRACESTATE = /^[ -~]{1,512}$/
/** The flag `sampled`, the only one in version 00 of W3C Trace Context: the span is recorded. */
const SAMPLED_BIT = 1

/**
 * Parses a trace context, which any sender may have written. Omits additions of later versions, and an invalid
 * `tracestate`.
 *
 * @param tracestate - a text, or an array of texts to join by commas
 * @returns undefined if `traceparent` is invalid
 */
export function readTraceContext(traceparent: unknown, tracestate?: unknown): TraceContext | undefined {
  const parts = typeof traceparent === 'string' ? TRACEPARENT.exec(traceparent) : undefined
  if (!parts) return undefined
  const [, version, names, flags = '', more] = parts
  if (version === '00' && more !== undefined) return undefined
  const isSampled = (Number.parseInt(flags, 16) & SAMPLED_BIT) !== 0
  const state = Array.isArray(tracestate) ? tracestate.join() : tracestate
  return {
    traceparent: `00-${names}-${isSampled ? '01' : '00'}`,
    ...(typeof state === 'string' && TRACESTATE.test(state) && { tracestate: state }),
  }
}
