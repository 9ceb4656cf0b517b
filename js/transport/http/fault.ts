import { AlvariumError, expected, malformed } from '../../foundation/base/errors.js'

export function invalidSignature(
  field: string,
  requirement: string,
  got: string,
  cause?: unknown,
): AlvariumError {
  return expected('SIGNATURE_INVALID', field, requirement, got, cause)
}

export function missingHeader(name: string, why = ''): AlvariumError {
  return new AlvariumError('MESSAGE_MALFORMED', `${name}: the header is missing${why}`)
}

/** Maximum characters in a signature base: 32,768 for the longest field or URL, and 8,192 for all other lines. */
const MAX_BASE_LENGTH = 40_960

/** Asserts that a signature base of this many characters is short enough to assemble and hash. */
export function assertSignable(length: number): void {
  if (length <= MAX_BASE_LENGTH) return
  throw malformed('signature-input', `at most ${MAX_BASE_LENGTH} signed characters`, 'more')
}
