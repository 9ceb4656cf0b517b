import { type AlvariumError, describe, expected } from '../base/errors.js'

/** Which key is being read, for error messages. */
export type KeyField = 'signingKey' | 'verifyingKey'

/** @internal A `KEY_INVALID` that says what was expected and what came, and shows nothing of the key. */
export function invalid(field: string, what: string, got: string): AlvariumError {
  return expected('KEY_INVALID', field, what, got)
}

/** @internal A name as it came, if it is as short and simple as names are: else a key may have taken its place. */
export function shownName(name: unknown): string {
  return typeof name === 'string' && /^[\w.-]{1,16}$/.test(name) ? name : describe(name)
}
