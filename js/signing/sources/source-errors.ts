import { AlvariumError, expected } from '../../foundation/base/errors.js'

/** Creates the error for a source that failed to deliver its next piece. Returns an `AlvariumError` unchanged. */
export function unreadable(error: unknown): unknown {
  if (error instanceof AlvariumError) return error
  return expected('PAYLOAD_INVALID', 'payload', 'a source that can be read to its end', undefined, error)
}

export function sizeChanged(statedBytes: number, read: number | string): AlvariumError {
  const got = `${read}: the source has changed, or was replaced`
  return expected('PAYLOAD_INVALID', 'payload', `the ${statedBytes} bytes that the source states`, got)
}
