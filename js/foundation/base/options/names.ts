import { closestMatch } from 'leven'
import { AlvariumError, describe, expected } from '../errors.js'

/** Maximum length of names that are compared with known names or shown in full, in characters. */
const MAX_NAME_LENGTH = 64

/**
 * Returns the known name that a misspelt name probably means. The known name has the same letters in another
 * order or case, or at most a third of the misspelt name's letters differ. In a name of one or two letters,
 * one may differ. Returns `undefined` if no known name is that similar.
 */
export function nearest(name: string, known: readonly string[]): string | undefined {
  if (name.length > MAX_NAME_LENGTH) return undefined
  const letters = lettersOf(name)
  const maxDistance = Math.max(1, Math.floor(name.length / 3))
  // Ignore long known names, because column names of a file can have any length.
  const short = known.filter(({ length }) => length <= MAX_NAME_LENGTH)
  return short.find((one) => lettersOf(one) === letters) ?? closestMatch(name, short, { maxDistance })
}

function lettersOf(name: string): string {
  return [...name.toLowerCase()].sort().join('')
}

/** Returns ` (payload?)` as the end of an error text if a known name was probably meant, otherwise an empty text. */
export function hint(name: string, known: readonly string[]): string {
  const meant = nearest(name, known)
  return meant === undefined ? '' : ` (${meant}?)`
}

/** Returns `is not a known option`, followed in brackets by the known name that was probably meant. */
export function unknownOption(name: string, known: readonly string[]): string {
  return `is not a known option${hint(name, known)}`
}

/**
 * Asserts that options have only known names. Fast calls use this function instead of a schema, which would take most
 * of their time. Without it, `verifyMessage` would not check the payload if the option `payload` were misspelt.
 *
 * @param within - prefix of the names in the error, with its dot: `keys.`
 * @throws AlvariumError `CONFIG_INVALID` naming the unknown option, and the known name that was probably meant
 */
export function assertNames<T extends object>(
  options: T | undefined,
  known: readonly string[],
  within = '',
): asserts options is T {
  if (typeof options !== 'object' || options === null) {
    const root = within.slice(0, -1) || 'options'
    throw expected('CONFIG_INVALID', root, `an object with ${known.join(', ')}`, describe(options))
  }
  for (const name in options) {
    if (known.includes(name)) continue
    throw new AlvariumError('CONFIG_INVALID', `${within}${name}: ${unknownOption(name, known)}`)
  }
}

/** Shortens a name for an error text, because names of an application can have any length. */
export function shorten(name: string): string {
  return name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name
}
