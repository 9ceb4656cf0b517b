import { AlvariumError } from '../base/errors.js'
import { endOf, LONGEST_PATH } from '../base/text/path.js'

/** What the command was given cannot work. */
export function invalid(field: string, expected: string, got: string): AlvariumError {
  return new AlvariumError('CONFIG_INVALID', `${field}: expected ${expected}, got ${got}`)
}

/** The path of a file as an error may have it: who types a key in place of its path is not to find it in a log. */
export function named(path: string): string {
  return path.length <= LONGEST_PATH ? path : (endOf(path) ?? '')
}
