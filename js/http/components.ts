// What RFC 9421, section 2, signs of a message: the components, and the value that each of them has.

import { type Item, isInnerList, parseItem, serializeInnerList, serializeItem } from 'structured-headers'
import { AlvariumError, expected, malformed } from '../base/errors.js'
import { quote } from '../base/text/text.js'
import { allowanceOf, spend } from './allowance.js'
import { dictionaryIn } from './dictionary.js'
import type { Fields } from './fields.js'
import { queryParameter } from './query.js'
import type { RequestParts } from './request.js'
import type { MessageParts } from './response.js'

/** A component: a lower-case name, and parameters. */
export type Component = readonly [name: string, parameters: ReadonlyMap<string, unknown>]

/** What a message is. A response can speak of the request that it answers, by `;req`. */
export type MessageKind = 'request' | 'response'

const DERIVED: Readonly<Record<string, (parts: RequestParts) => string>> = {
  '@method': ({ method }) => method,
  '@target-uri': (parts) => `${schemeOf(parts)}://${authorityOf(parts)}${pathOf(parts)}${parts.query ?? ''}`,
  '@authority': authorityOf,
  '@scheme': schemeOf,
  '@request-target': targetOf,
  '@path': pathOf,
  '@query': ({ query }) => query ?? '?',
}
/** What each can have; `alvarium` is the dialect of the other SDKs. */
const DERIVED_OF: Readonly<Record<MessageKind | 'alvarium', readonly string[]>> = {
  request: [...Object.keys(DERIVED), '@query-param'],
  response: ['@status'],
  alvarium: ['@method', '@target-uri', '@authority', '@scheme', '@path', '@query', '@query-params'],
}
/** A field's name, in lower case, or one such as `@method`. */
const NAME = /^@?[a-z0-9!#$%&'*+.^_`|~-]+$/

/**
 * @param text - a name, `content-type`, or an item as headers have it, `"@query-param";name="id"`
 * @param option - where it was given
 * @throws AlvariumError `CONFIG_INVALID` naming the option
 */
export function parseComponent(
  text: string,
  option: string,
  kind: MessageKind | 'alvarium' = 'request',
): Component {
  try {
    return checked(text.startsWith('"') ? parseItem(text) : [text.toLowerCase(), new Map()], kind)
  } catch (cause) {
    const names = `names of components of a ${kind === 'response' ? kind : 'request'}`
    const reason = cause instanceof AlvariumError ? ` (${cause.message})` : ''
    throw expected('CONFIG_INVALID', option, names, `${quote(text)}${reason}`, cause)
  }
}

/** @throws AlvariumError `MESSAGE_MALFORMED` for what is no component of such a message that can be signed here */
export function checked(
  [name, parameters]: readonly [unknown, ReadonlyMap<string, unknown>],
  kind: MessageKind | 'alvarium',
): Component {
  if (typeof name !== 'string' || !NAME.test(name)) {
    throw malformed('signature-input', 'components with names in lower case', quote(String(name)))
  }
  assertDerived(name, kind === 'response' && parameters.has('req') ? 'request' : kind)
  const known = parametersOf(name, kind)
  for (const [parameter, value] of parameters) assertParameter(name, parameter, value, known)
  if (name !== '@query-param' || parameters.has('name')) return [name, parameters]
  throw malformed('signature-input', '@query-param with ;name="…"', 'none')
}

function assertDerived(name: string, kind: MessageKind | 'alvarium'): void {
  if (!name.startsWith('@') || DERIVED_OF[kind].includes(name)) return
  throw malformed('signature-input', `one of ${DERIVED_OF[kind].join(', ')}`, quote(name))
}

function assertParameter(name: string, parameter: string, value: unknown, known: readonly string[]): void {
  if (!known.includes(parameter)) {
    const expected =
      known.length > 0 ? `only ${known.join(' or ')} as parameters of ${name}` : `no parameters of ${name}`
    throw malformed('signature-input', expected, quote(parameter))
  }
  const isText = parameter === 'name' || parameter === 'key'
  if (isText ? typeof value === 'string' : value === true) return
  throw malformed(
    'signature-input',
    `;${parameter} with ${isText ? 'a string as its value' : 'no value'}`,
    'another value',
  )
}

/** `sf` needs to know how each header is written; trailers come too late. */
function parametersOf(name: string, kind: MessageKind | 'alvarium'): readonly string[] {
  if (kind === 'alvarium' || name === '@status') return []
  const own = name.startsWith('@') ? (name === '@query-param' ? ['name'] : []) : ['bs', 'key']
  return kind === 'response' ? [...own, 'req'] : own
}

/** A component is written for each of the checks that it has to pass. */
const written = new WeakMap<Component, string>()

/** How a component is written in the signature base. */
export function identifierOf(component: Component): string {
  const identifier = written.get(component) ?? serializeItem([...component] as Item)
  written.set(component, identifier)
  return identifier
}

/** The same for components that are the same, in whatever order their parameters are (RFC 9421, 2). */
export function sameness(component: Component): string {
  const [name, parameters] = component
  if (parameters.size < 2) return identifierOf(component)
  return identifierOf([name, new Map([...parameters].sort(([a], [b]) => (a < b ? -1 : 1)))])
}

/** Whether it is a component of the request that a response answers. */
export function isOfRequest([, parameters]: Component): boolean {
  return parameters.has('req')
}

/**
 * The component's line without what names it (RFC 9421, 2.1, 2.2 and 2.4).
 *
 * @throws AlvariumError `MESSAGE_MALFORMED` when the message has no such component
 */
export function lineOf(component: Component, parts: MessageParts): string {
  const [name, parameters] = component
  if (name === '@status' && 'status' in parts) return `${parts.status}`
  const message = isOfRequest(component) && 'status' in parts ? parts.request : parts
  if (!message) throw unanswered(component)
  if (!name.startsWith('@')) return fieldOf(name, parameters, message.fields)
  if (name === '@query-param') return queryParameter(String(parameters.get('name')), message as RequestParts)
  return (DERIVED[name] as (parts: RequestParts) => string)(message as RequestParts)
}

function unanswered(component: Component): AlvariumError {
  const answered = `the request that is answered, as ${identifierOf(component)} is signed`
  return expected('CONFIG_INVALID', 'request', answered, 'none')
}

function fieldOf(name: string, parameters: ReadonlyMap<string, unknown>, fields: Fields): string {
  const lines = fields.lines(name).map((line) => line.trim())
  if (lines.length === 0) throw malformed(name, 'this header, which is signed', 'none')
  const key = parameters.get('key')
  if (key === undefined) {
    return (parameters.has('bs') ? lines.map((line) => `:${btoa(line)}:`) : lines).join(', ')
  }
  if (!parameters.has('bs')) return memberOf(name, String(key), fields)
  throw malformed('signature-input', `${name} with ;bs or ;key="…", not with both`, 'both')
}

function memberOf(name: string, key: string, fields: Fields): string {
  const member = dictionaryIn(fields, name).get(key)
  if (member === undefined) {
    throw malformed(name, `a member ${quote(key)}`, quote(fields.lines(name).join(', ')))
  }
  const written = isInnerList(member) ? serializeInnerList(member) : serializeItem(member)
  spend(allowanceOf(fields), name, written.length, 0)
  return written
}

function schemeOf({ scheme }: RequestParts): string {
  return scheme.toLowerCase()
}

/** In lower case, and without the port that the scheme has anyway. */
function authorityOf(parts: RequestParts): string {
  const usual = schemeOf(parts) === 'https' ? /:(443)?$/ : /:(80)?$/
  return parts.authority.toLowerCase().replace(usual, '')
}

/** Of `OPTIONS *`, whose URL has no path, it is that of a URL without one (RFC 9110, 7.1). */
function pathOf({ path }: RequestParts): string {
  return path === '' || path === '*' ? '/' : path
}

/** A client that asks `OPTIONS` of a URL without a path sends `*` (RFC 9112, 3.2.4). */
function targetOf(parts: RequestParts): string {
  const { method, path, query } = parts
  if (path === '*' || (method === 'OPTIONS' && path === '' && query === undefined)) return '*'
  return `${pathOf(parts)}${query ?? ''}`
}
