// What RFC 9421, section 2, signs of a request: the components, and the value that each of them has.

import { type Item, isInnerList, parseItem, serializeInnerList, serializeItem } from 'structured-headers'
import { AlvariumError } from '../base/errors.js'
import { dictionaryOf } from './dictionary.js'
import { malformed, quoted } from './fault.js'
import type { RequestParts } from './request.js'

/** A component: a lower-case name, and parameters. */
export type Component = readonly [name: string, parameters: ReadonlyMap<string, unknown>]

const DERIVED: Readonly<Record<string, (parts: RequestParts) => string>> = {
  '@method': ({ method }) => method,
  '@target-uri': (parts) => `${schemeOf(parts)}://${authorityOf(parts)}${targetOf(parts)}`,
  '@authority': authorityOf,
  '@scheme': schemeOf,
  '@request-target': targetOf,
  '@path': pathOf,
  '@query': ({ query }) => query ?? '?',
}

/**
 * @param text - a name, `content-type`, or an item as headers have it, `"@query-param";name="id"`
 * @param option - where it was given
 * @throws AlvariumError `CONFIG_INVALID` naming the option
 */
export function parseComponent(text: string, option: string): Component {
  try {
    return checked(text.startsWith('"') ? parseItem(text) : [text.toLowerCase(), new Map()])
  } catch (error) {
    const message = `${option}: expected names of components, got ${quoted(text)}`
    throw new AlvariumError('CONFIG_INVALID', message, { cause: error })
  }
}

/** @throws AlvariumError `MESSAGE_MALFORMED` for what is no component of a request that can be signed here */
export function checked([name, parameters]: readonly [unknown, ReadonlyMap<string, unknown>]): Component {
  if (typeof name !== 'string' || !/^@?[a-z0-9!#$%&'*+.^_`|~-]+$/.test(name)) {
    throw malformed('signature-input', 'components with names in lower case', quoted(String(name)))
  }
  const known = parametersOf(name)
  for (const [parameter] of parameters) {
    if (known.includes(parameter)) continue
    const expected = `no parameters of ${name} but ${known.join(' or ') || 'none'}`
    throw malformed('signature-input', expected, quoted(parameter))
  }
  return [name, parameters]
}

/** `sf` needs to know how each header is written; `req` is for responses; trailers come too late. */
function parametersOf(name: string): readonly string[] {
  if (name === '@query-param') return ['name']
  return name.startsWith('@') ? [] : ['bs', 'key']
}

/** How a component is written: in the signature base, and to know it again. */
export function identifierOf([name, parameters]: Component): string {
  return serializeItem([name, parameters] as Item)
}

/**
 * The component's line without what names it (RFC 9421, 2.1 and 2.2).
 *
 * @throws AlvariumError `MESSAGE_MALFORMED` when the request has no such component
 */
export function lineOf([name, parameters]: Component, parts: RequestParts): string {
  if (name === '@query-param') return queryParameter(String(parameters.get('name')), parts)
  const derive = Object.hasOwn(DERIVED, name) ? DERIVED[name] : undefined
  if (derive) return derive(parts)
  if (name.startsWith('@')) {
    throw malformed(
      'signature-input',
      `one of ${Object.keys(DERIVED).join(', ')}, @query-param`,
      quoted(name),
    )
  }
  return fieldOf(name, parameters, parts)
}

function fieldOf(name: string, parameters: ReadonlyMap<string, unknown>, parts: RequestParts): string {
  const lines = parts.lines(name).map((line) => line.replace(/^[ \t]+|[ \t]+$/g, ''))
  if (lines.length === 0) throw malformed(name, 'this header, which is signed', 'none')
  const key = parameters.get('key')
  if (parameters.get('bs') === true && key === undefined) {
    return lines.map((line) => `:${btoa(line)}:`).join(', ')
  }
  if (parameters.size === 0) return lines.join(', ')
  if (typeof key === 'string' && parameters.size === 1) return memberOf(name, key, lines.join(', '))
  throw malformed('signature-input', `${name} with ;bs or ;key="…", not with both`, 'something else')
}

function memberOf(name: string, key: string, text: string): string {
  const member = dictionaryOf(name, text).get(key)
  if (member === undefined) throw malformed(name, `a member ${quoted(key)}`, quoted(text))
  return isInnerList(member) ? serializeInnerList(member) : serializeItem(member)
}

function schemeOf({ scheme }: RequestParts): string {
  return scheme.toLowerCase()
}

/** In lower case, and without the port that the scheme has anyway. */
function authorityOf(parts: RequestParts): string {
  const usual = schemeOf(parts) === 'https' ? /:(443)?$/ : /:(80)?$/
  return parts.authority.toLowerCase().replace(usual, '')
}

function pathOf({ path }: RequestParts): string {
  return path || '/'
}

function targetOf(parts: RequestParts): string {
  return `${pathOf(parts)}${parts.query ?? ''}`
}

/** Decoded as forms are, and encoded again in one way (RFC 9421, 2.2.8). Which of two is meant nobody can say. */
function queryParameter(name: string, { query = '?' }: RequestParts): string {
  const values = [...new URLSearchParams(query)].filter(([found]) => encoded(found) === name)
  const [only, ...more] = values
  // What is no UTF-8 is decoded to one character, whatever it was.
  if (only && more.length === 0 && !only[1].includes('\ufffd')) return encoded(only[1])
  throw malformed('@query-param', `one parameter ${quoted(name)} in the query`, `${values.length}`)
}

function encoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()~]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
