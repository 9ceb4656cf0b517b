import { type AlvariumError, describe, expected } from '../../foundation/base/errors.js'

export type KeyField = 'signingKey' | 'verifyingKey'

/** @internal Creates a `KEY_INVALID` that names the expected and the actual form, without quoting the key. */
export function invalid(field: string, expectation: string, got: string): AlvariumError {
  return expected('KEY_INVALID', field, expectation, got)
}

/** @internal Quotes a short and simple name in an error. Only describes any other value, because it may be a key. */
export function shownName(name: unknown): string {
  return typeof name === 'string' && /^[\w.-]{1,16}$/.test(name) ? name : describe(name)
}
