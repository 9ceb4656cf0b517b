// Headers that are dictionaries (RFC 9651, 3.2), read strictly. A file of its own: the parser's types want the DOM's, and
// would come with those of whatever public module they stand in.

import { type Dictionary, isInnerList, parseDictionary } from 'structured-headers'
import { textOf } from '../base/errors.js'
import { malformed, quoted } from './fault.js'

/**
 * The members of such a header. Of members or parameters with one name the last would count, for us; another reader
 * may take the first.
 *
 * @throws AlvariumError `MESSAGE_MALFORMED`
 */
export function dictionaryOf(name: string, text: string): Dictionary {
  const dictionary = parsedDictionary(name, text)
  const marks = text.replace(/%"[^"]*"|"(?:\\.|[^"\\])*"/g, '')
  const members = text.trim() === '' ? 0 : marks.split(',').length
  if (dictionary.size === members && countOfParameters(dictionary) === marks.split(';').length - 1) {
    return dictionary
  }
  throw malformed(name, 'each name once', quoted(text))
}

function parsedDictionary(name: string, text: string): Dictionary {
  try {
    return parseDictionary(text)
  } catch (error) {
    throw malformed(name, 'a dictionary (RFC 9651)', `${quoted(text)}: ${textOf(error)}`, error)
  }
}

function countOfParameters(dictionary: Dictionary): number {
  const items = [...dictionary.values()].flatMap((member) =>
    isInnerList(member) ? [...member[0], member] : [member],
  )
  return items.reduce((sum, [, parameters]) => sum + parameters.size, 0)
}
