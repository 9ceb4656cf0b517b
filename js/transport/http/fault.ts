import { type AlvariumError, expected, malformed } from '../../foundation/base/errors.js'

/** Returns the error of a signature that does not meet the requirements. */
export function invalidSignature(field: string, what: string, got: string, cause?: unknown): AlvariumError {
  return expected('SIGNATURE_INVALID', field, what, got, cause)
}

/** Limit in characters of the signed text: the longest field or URL, with room for the names of others. */
const MAX_BASE_LENGTH = 40_960

/** Asserts that a signed text is short enough to be assembled and hashed. */
export function assertSignable(length: number): void {
  if (length <= MAX_BASE_LENGTH) return
  throw malformed('signature-input', `at most ${MAX_BASE_LENGTH} characters that are signed`, 'more')
}
