import { malformed } from '../../foundation/base/errors.js'
import type { Fields } from './fields.js'

/** Remaining work for parsing a message. An allowance bounds the time that untrusted fields can cost. */
export interface Allowance {
  characters: number
  /** Number of dictionary members, parameters and list items that may still be parsed. */
  parts: number
}

/** Maximum number of characters in dictionaries and individually signed query parameters of a message. */
export const MAX_CHARACTERS = 8192
const MAX_PARTS = 256

/**
 * Remaining allowance of each message, which all fields, members and parameters named by a signature share.
 */
const allowances = new WeakMap<Fields, Allowance>()

export function newAllowance(characters: number): Allowance {
  return { characters, parts: MAX_PARTS }
}

export function allowanceOf(fields: Fields): Allowance {
  const known = allowances.get(fields)
  if (known) return known
  const allowance = newAllowance(MAX_CHARACTERS)
  allowances.set(fields, allowance)
  return allowance
}

/**
 * Subtracts characters and parts from an allowance. Serialized characters count too, because writing strings
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
