// Parses dictionary header fields (RFC 9651, 3.2) strictly and within limits. This file is separate, because
// the parser's types need DOM types, which public modules must not expose.

import { type Dictionary, isInnerList, parseDictionary } from 'structured-headers'
import { malformed, textOf } from '../../foundation/base/errors.js'
import { quote } from '../../foundation/base/text/text.js'
import { type Allowance, allowanceOf, MAX_CHARACTERS, newAllowance, spend } from './allowance.js'
import type { Fields } from './fields.js'

/** Cache of parsed dictionaries by message, because each signed member of a field needs the field's dictionary. */
const dictionaries = new WeakMap<Fields, Map<string, Dictionary>>()

/** Returns the dictionary in a header field of a message. The dictionary is empty if the field is missing. */
export function dictionaryIn(fields: Fields, name: string): Dictionary {
  const known = dictionaries.get(fields) ?? new Map<string, Dictionary>()
  dictionaries.set(fields, known)
  const text = () => fields.lines(name).join(', ')
  const dictionary = known.get(name) ?? dictionaryOf(name, text(), MAX_CHARACTERS, allowanceOf(fields))
  known.set(name, dictionary)
  return dictionary
}

/** Parses a dictionary. Throws for a repeated name, because another parser might use the first value. */
export function dictionaryOf(
  name: string,
  text: string,
  longest: number,
  left: Allowance = newAllowance(longest),
): Dictionary {
  if (text.length > longest) throw malformed(name, `at most ${longest} characters`, `${text.length}`)
  const { commas, semicolons, spaces, wholes } = marksIn(text)
  spend(left, name, text.length, commas + semicolons + spaces)
  if (wholes > 0) throw malformed(name, 'integers, not decimals such as 1.0', quote(text))
  const dictionary = parseText(name, text)
  const members = text.trim() === '' ? 0 : commas + 1
  if (dictionary.size === members && countOfParameters(dictionary) === semicolons) return dictionary
  throw malformed(name, 'each name once', quote(text))
}

/** Pattern of a decimal such as `1.0` (RFC 9651, 3.3.2), which the parser would turn into an integer. */
const WHOLE = /-?\d+\.0+(?!\d)/y

/**
 * Counts separators, and decimals such as `1.0`, outside of strings. A regular expression could take
 * quadratic time.
 */
function marksIn(text: string): Record<'commas' | 'semicolons' | 'spaces' | 'wholes', number> {
  const counts = { ',': 0, ';': 0, ' ': 0 }
  let wholes = 0
  for (let at = 0; at < text.length; at++) {
    const one = text[at] as string
    if (one === '"') at = endOfString(text, at)
    else if (one === ',' || one === ';' || one === ' ') counts[one]++
    if (one === '=' || one === '(' || one === ' ') wholes += Number(isWholeAt(text, at + 1))
  }
  return { commas: counts[','], semicolons: counts[';'], spaces: counts[' '], wholes }
}

function isWholeAt(text: string, at: number): boolean {
  WHOLE.lastIndex = at
  return WHOLE.test(text)
}

/** Returns the index of a string's closing quote. Display strings (`%"…"`) have no backslash escapes. */
function endOfString(text: string, start: number): number {
  const escapes = text[start - 1] !== '%'
  let at = start + 1
  while (at < text.length && text[at] !== '"') at += escapes && text[at] === '\\' ? 2 : 1
  return at
}

function parseText(name: string, text: string): Dictionary {
  try {
    return parseDictionary(text)
  } catch (error) {
    throw malformed(name, 'a dictionary (RFC 9651)', `${quote(text)}: ${textOf(error)}`, error)
  }
}

function countOfParameters(dictionary: Dictionary): number {
  const items = [...dictionary.values()].flatMap((member) =>
    isInnerList(member) ? [...member[0], member] : [member],
  )
  return items.reduce((sum, [, parameters]) => sum + parameters.size, 0)
}
