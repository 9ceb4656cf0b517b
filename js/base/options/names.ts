import { closestMatch } from 'leven'
import { describe, expected } from '../errors.js'

/** Longer words are no slips of anybody's, and comparing them takes its time; nor are they shown whole. */
const LONGEST = 64

/**
 * The known name that was probably meant: the same letters in another order or case, or one letter in three off;
 * `undefined` when none is as near.
 */
export function nearest(name: string, known: readonly string[]): string | undefined {
  if (name.length > LONGEST) return undefined
  const letters = lettersOf(name)
  const maxDistance = Math.max(1, Math.floor(name.length / 3))
  // Names of columns come from outside, too.
  const short = known.filter(({ length }) => length <= LONGEST)
  return short.find((one) => lettersOf(one) === letters) ?? closestMatch(name, short, { maxDistance })
}

function lettersOf(name: string): string {
  return [...name.toLowerCase()].sort().join('')
}

/** The one that was probably meant, as a message ends with it: ` (payload?)`, or nothing. */
export function hint(name: string, known: readonly string[]): string {
  const meant = nearest(name, known)
  return meant === undefined ? '' : ` (${meant}?)`
}

/** `an option that exists`, and in brackets the one that was probably meant. */
export function existing(name: string, known: readonly string[]): string {
  return `an option that exists${hint(name, known)}`
}

/**
 * Checks that options have no other names than these: for calls that take less time than a schema does. A slip in
 * `payload` would leave the payload unchecked.
 *
 * @param within - what the options are in, as it stands before their names: `keys.`
 * @throws AlvariumError `CONFIG_INVALID` naming the option, and the one that was probably meant
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
    throw expected('CONFIG_INVALID', `${within}${name}`, existing(name, known), describe(options[name]))
  }
}

/** Names come from outside, and can be long. */
export function shortened(name: string): string {
  return name.length > LONGEST ? `${name.slice(0, LONGEST)}…` : name
}
