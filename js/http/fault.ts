import { type AlvariumError, expected, malformed } from '../base/errors.js'

/** A signature that does not say what it has to. */
export function unsatisfying(field: string, what: string, got: string, cause?: unknown): AlvariumError {
  return expected('SIGNATURE_INVALID', field, what, got, cause)
}

/** A field, or a URL, as long as one may be, with room for the names of others. */
const LONGEST_BASE = 40_960

/** What is signed has to be put together, and hashed. */
export function assertSignable(length: number): void {
  if (length <= LONGEST_BASE) return
  throw malformed('signature-input', `at most ${LONGEST_BASE} characters that are signed`, 'more')
}
