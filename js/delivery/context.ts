import { type AlvariumError, describe, expected } from '../base/errors.js'
import type { Progress } from '../model/payload.js'

/** A call's context once its type has been checked. */
export type AnyContext = Readonly<Record<string, unknown>> & {
  readonly signal?: AbortSignal | undefined
  readonly transfer?: boolean | undefined
  readonly tag?: string | undefined
  readonly onProgress?: ((progress: Progress) => void) | undefined
}

/**
 * Of calls that give none: what somebody has put onto all objects is not seen through it. (Not an object without a prototype: engines
 * keep those as dictionaries, and to look into one took a tenth of a call.)
 */
export const NO_CONTEXT: AnyContext = Object.freeze({
  signal: undefined,
  transfer: undefined,
  tag: undefined,
  onProgress: undefined,
})

/**
 * What every call can have beside inputs. On the way of each call, so without a schema.
 *
 * @throws AlvariumError `CONFIG_INVALID`
 */
export function assertContext(context: AnyContext): void {
  if (typeof context !== 'object' || context === null) throw invalid('context', 'an object', context)
  // It has no names of its own, and would be passed over.
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

function invalid(field: string, what: string, got: unknown): AlvariumError {
  return expected('CONFIG_INVALID', field, what, describe(got))
}
