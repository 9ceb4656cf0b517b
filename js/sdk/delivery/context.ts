import { type AlvariumError, describe, expected } from '../../foundation/base/errors.js'
import type { Progress } from '../../foundation/model/payload.js'

export type AnyContext = Readonly<Record<string, unknown>> & {
  readonly signal?: AbortSignal | undefined
  readonly transfer?: boolean | undefined
  readonly tag?: string | undefined
  readonly onProgress?: ((progress: Progress) => void) | undefined
}

/**
 * Context of a call that passes none. It has all option names itself, so that additions to
 * `Object.prototype` are not read. An object without a prototype would be slower: looking up a name in it
 * took a tenth of the time of a call.
 */
export const NO_CONTEXT: AnyContext = Object.freeze({
  signal: undefined,
  transfer: undefined,
  tag: undefined,
  onProgress: undefined,
})

/**
 * Checks the context of a call, except its tag and the inputs of annotators. Uses no schema, because each
 * call runs this check.
 */
export function assertContext(context: AnyContext): void {
  if (typeof context !== 'object' || context === null) throw invalid('context', 'an object', context)
  // A bare AbortSignal has none of the option names, and would be ignored silently.
  if ('throwIfAborted' in context) throw invalid('context', 'an object, { signal }', context)
  const { signal, transfer, onProgress } = context
  if (signal !== undefined && typeof Object(signal).throwIfAborted !== 'function') {
    throw invalid('context.signal', 'an AbortSignal', signal)
  }
  if (transfer !== undefined && typeof transfer !== 'boolean') {
    throw invalid('context.transfer', 'true or false', transfer)
  }
  if (onProgress !== undefined && typeof onProgress !== 'function') {
    throw invalid('context.onProgress', 'a function', onProgress)
  }
}

function invalid(field: string, expectation: string, got: unknown): AlvariumError {
  return expected('CONFIG_INVALID', field, expectation, describe(got))
}
