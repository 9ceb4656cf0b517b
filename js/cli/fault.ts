import { AlvariumError } from '../base/errors.js'

/** What the command was given cannot work. */
export function invalid(field: string, expected: string, got: string): AlvariumError {
  return new AlvariumError('CONFIG_INVALID', `${field}: expected ${expected}, got ${got}`)
}
