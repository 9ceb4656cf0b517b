import { type AlvariumError, describe, expected } from '../../foundation/base/errors.js'

/** Name of the key's option, for error messages. */
export type KeyField = 'signingKey' | 'verifyingKey'

/** @internal Returns a `KEY_INVALID` with the expected and the actual form, and nothing of the key. */
export function invalid(field: string, what: string, got: string): AlvariumError {
  return expected('KEY_INVALID', field, what, got)
}

/**
 * @internal Returns a name if it is as short and simple as names are; otherwise only its type, because a key may stand
 * in its place.
 */
export function shownName(name: unknown): string {
  return typeof name === 'string' && /^[\w.-]{1,16}$/.test(name) ? name : describe(name)
}
