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
 * For calls without one. It has all the names itself, so what somebody has added to `Object.prototype` is not seen. (An object without a
 * prototype would do as well, but engines keep it as a dictionary: to look into it took a tenth of a call.)
 */
export const NO_CONTEXT: AnyContext = Object.freeze({
  signal: undefined,
  transfer: undefined,
  tag: undefined,
  onProgress: undefined,
})

/**
 * Checks what every call can have beside inputs. Without a schema, as each call passes here.
 *
 * @throws AlvariumError `CONFIG_INVALID`
 */
export function assertContext(context: AnyContext): void {
  if (typeof context !== 'object' || context === null) throw invalid('context', 'an object', context)
  // A signal in place of `{ signal }`: it has none of the names, and would be ignored.
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
