import { AlvariumError, expected } from '../base/errors.js'

/** What a source has said in place of its next piece. */
export function unreadable(error: unknown): unknown {
  if (error instanceof AlvariumError) return error
  return expected('PAYLOAD_INVALID', 'payload', 'a source that can be read to its end', undefined, error)
}

/** There was less or more than it said. */
export function otherSize(said: number, read: number | string): AlvariumError {
  const got = `${read}: it has changed, or was replaced`
  return expected('PAYLOAD_INVALID', 'payload', `the ${said} bytes that its source says it has`, got)
}
