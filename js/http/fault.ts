import { AlvariumError } from '../base/errors.js'

/** What came in a request, for an error: its beginning, and without what would break a line of a log. */
export function quoted(value: string): string {
  const shown = value.length > 100 ? `${value.slice(0, 100)}…` : value
  return JSON.stringify(shown)
}

/** A request that cannot be read, or has one thing twice. */
export function malformed(field: string, expected: string, got: string, cause?: unknown): AlvariumError {
  return new AlvariumError('MESSAGE_MALFORMED', `${field}: expected ${expected}, got ${got}`, { cause })
}

/** A signature that does not say what it has to. */
export function unsatisfying(field: string, expected: string, got: string, cause?: unknown): AlvariumError {
  return new AlvariumError('SIGNATURE_INVALID', `${field}: expected ${expected}, got ${got}`, { cause })
}
