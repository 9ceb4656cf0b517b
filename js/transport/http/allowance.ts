import { malformed } from '../../foundation/base/errors.js'
import type { Fields } from './fields.js'

/** Work that a parser does in a fraction of a millisecond. */
export interface Allowance {
  characters: number
  /** Number of members, parameters and items of lists. */
  parts: number
}

/** Limit in characters of a dictionary, of a query whose parameters are signed one by one, and of all of these together. */
export const MAX_CHARACTERS = 8192
const MAX_PARTS = 256

/** Work left for each message: a signature can name each member of a field, many fields, and each parameter. */
const allowances = new WeakMap<Fields, Allowance>()

/** Returns the allowance of a text with its own limit. */
export function newAllowance(characters: number): Allowance {
  return { characters, parts: MAX_PARTS }
}

/** Returns the allowance of the message with these fields. */
export function allowanceOf(fields: Fields): Allowance {
  const known = allowances.get(fields)
  if (known) return known
  const allowance = newAllowance(MAX_CHARACTERS)
  allowances.set(fields, allowance)
  return allowance
}

/**
 * Takes work off an allowance: characters that are read, and characters that are written again, because writing strings
 * with many escapes takes longer than reading them.
 *
 * @throws AlvariumError `MESSAGE_MALFORMED` naming the field that exceeds the allowance
 */
export function spend(allowance: Allowance, name: string, characters: number, parts: number): void {
  allowance.characters -= characters
  allowance.parts -= parts
  if (allowance.characters >= 0 && allowance.parts >= 0) return
  const expected = `at most ${MAX_CHARACTERS} characters, and ${MAX_PARTS} members, parameters and items, of dictionaries and signed query parameters together`
  throw malformed(name, expected, 'more')
}
