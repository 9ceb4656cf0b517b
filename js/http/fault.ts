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

/** A field, or a URL, as long as one may be, with room for the names of others. */
const LONGEST_BASE = 40_960

/** What is signed has to be put together, and hashed. */
export function assertSignable(length: number): void {
  if (length <= LONGEST_BASE) return
  throw malformed('signature-input', `at most ${LONGEST_BASE} characters that are signed`, 'more')
}
