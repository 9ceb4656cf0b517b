import { malformed } from '../base/errors.js'
import type { Fields } from './fields.js'

/** What a parser does in a fraction of a millisecond. */
export interface Allowance {
  characters: number
  /** Members, parameters and items of lists. */
  parts: number
}

/** Of dictionaries, and of a query whose parameters are signed one by one: alone, and together. */
export const LONGEST = 8192
const MOST_PARTS = 256

/** What may still be read of a message: a signature can name each member of a field, many fields, and each parameter. */
const left = new WeakMap<Fields, Allowance>()

/** What may be read of something that has no limit together with others. */
export function newAllowance(characters: number): Allowance {
  return { characters, parts: MOST_PARTS }
}

/** Of the message that has these fields. */
export function allowanceOf(fields: Fields): Allowance {
  const known = left.get(fields)
  if (known) return known
  const allowance = newAllowance(LONGEST)
  left.set(fields, allowance)
  return allowance
}

/**
 * What is read counts, and what is written again once more: of strings with many escapes, writing takes longer than reading.
 *
 * @throws AlvariumError `MESSAGE_MALFORMED` naming the field that was one too many
 */
export function spend(allowance: Allowance, name: string, characters: number, parts: number): void {
  allowance.characters -= characters
  allowance.parts -= parts
  if (allowance.characters >= 0 && allowance.parts >= 0) return
  const expected = `at most ${LONGEST} characters, and ${MOST_PARTS} members, parameters and items, of dictionaries and signed query parameters together`
  throw malformed(name, expected, 'more')
}
