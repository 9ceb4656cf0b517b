// Reads and checks the message components that RFC 9421, section 2, can sign, and computes their values.

import { type Item, isInnerList, parseItem, serializeInnerList, serializeItem } from 'structured-headers'
import { AlvariumError, expected, malformed, needs } from '../../foundation/base/errors.js'
import { quote } from '../../foundation/base/text/text.js'
import { allowanceOf, spend } from './allowance.js'
import { dictionaryIn } from './dictionary.js'
import { missingHeader } from './fault.js'
import type { Fields } from './fields.js'
import { queryParameter } from './query.js'
import type { RequestParts } from './request.js'
import type { MessageParts } from './response.js'

/** Component of a message that a signature can cover: a lower-case name and parameters. */
export type Component = readonly [name: string, parameters: ReadonlyMap<string, unknown>]

/** Kind of an HTTP message. With `;req`, a response's signature can also cover components of its request. */
export type MessageKind = 'request' | 'response'

const DERIVED_VALUES: Readonly<Record<string, (parts: RequestParts) => string>> = {
  '@method': ({ method }) => method,
  '@target-uri': (parts) => `${schemeOf(parts)}://${authorityOf(parts)}${pathOf(parts)}${parts.query ?? ''}`,
  '@authority': authorityOf,
  '@scheme': schemeOf,
  '@request-target': targetOf,
  '@path': pathOf,
  '@query': ({ query }) => query ?? '?',
}
/** Names of derived components by message kind. `alvarium` is the format of the Go, Java and Python SDKs. */
const DERIVED_NAMES: Readonly<Record<MessageKind | 'alvarium', readonly string[]>> = {
  request: [...Object.keys(DERIVED_VALUES), '@query-param'],
  response: ['@status'],
  alvarium: ['@method', '@target-uri', '@authority', '@scheme', '@path', '@query', '@query-params'],
}
/** Pattern of a field name in lower case, or of a derived component such as `@method`. */
const NAME = /^@?[a-z0-9!#$%&'*+.^_`|~-]+$/

/**
 * Reads the name of a component in an option.
 *
 * @param text - a name such as `content-type`, or a structured item such as `"@query-param";name="id"`
 * @param option - name of the option, for errors
 */
export function parseComponent(
  text: string,
  option: string,
  kind: MessageKind | 'alvarium' = 'request',
): Component {
  try {
    return checkComponent(text.startsWith('"') ? parseItem(text) : [text.toLowerCase(), new Map()], kind)
  } catch (cause) {
    const names = `names of components of a ${kind === 'response' ? kind : 'request'}`
    const reason = cause instanceof AlvariumError ? ` (${cause.message})` : ''
    throw expected('CONFIG_INVALID', option, names, `${quote(text)}${reason}`, cause)
  }
}

export function checkComponent(
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
  throw malformed('signature-input', '@query-param with ;name="…"', '@query-param without ;name')
}

function assertDerived(name: string, kind: MessageKind | 'alvarium'): void {
  if (!name.startsWith('@') || DERIVED_NAMES[kind].includes(name)) return
  throw malformed('signature-input', `one of ${DERIVED_NAMES[kind].join(', ')}`, quote(name))
}

function assertParameter(name: string, parameter: string, value: unknown, known: readonly string[]): void {
  if (!known.includes(parameter)) {
    const expected =
      known.length > 0 ? `${name} with the parameter ${known.join(' or ')}` : `${name} without parameters`
    throw malformed('signature-input', expected, quote(parameter))
  }
  const isText = parameter === 'name' || parameter === 'key'
  if (isText ? typeof value === 'string' : value === true) return
  throw malformed(
    'signature-input',
    `;${parameter} ${isText ? 'with a string' : 'without a value'}`,
    `;${parameter} with another value`,
  )
}

/**
 * Lists the supported parameters of a component. `sf` is unsupported because it needs the syntax of each
 * header, and `tr` is unsupported because trailers arrive after the body.
 */
function parametersOf(name: string, kind: MessageKind | 'alvarium'): readonly string[] {
  if (kind === 'alvarium' || name === '@status') return []
  const parameters = name.startsWith('@') ? (name === '@query-param' ? ['name'] : []) : ['bs', 'key']
  return kind === 'response' ? [...parameters, 'req'] : parameters
}

/** Cache of component identifiers, because several checks need the identifier of each component. */
const identifiers = new WeakMap<Component, string>()

export function identifierOf(component: Component): string {
  const identifier = identifiers.get(component) ?? serializeItem([...component] as Item)
  identifiers.set(component, identifier)
  return identifier
}

/** Returns an identifier that is the same for any order of the component's parameters (RFC 9421, 2). */
export function canonicalIdentifier(component: Component): string {
  const [name, parameters] = component
  if (parameters.size < 2) return identifierOf(component)
  return identifierOf([name, new Map([...parameters].sort(([a], [b]) => (a < b ? -1 : 1)))])
}

export function isOfRequest([, parameters]: Component): boolean {
  return parameters.has('req')
}

/**
 * Returns the value of a component for the signature base (RFC 9421, 2.1, 2.2 and 2.4).
 *
 * @throws AlvariumError `MESSAGE_MALFORMED` when the message lacks the component, `CONFIG_INVALID` when the
 * answered request is needed but unknown
 */
export function lineOf(component: Component, parts: MessageParts): string {
  const [name, parameters] = component
  if (name === '@status' && 'status' in parts) return `${parts.status}`
  const message = isOfRequest(component) && 'status' in parts ? parts.request : parts
  if (!message) throw missingRequestError(component)
  if (!name.startsWith('@')) return fieldOf(name, parameters, message.fields)
  if (name === '@query-param') return queryParameter(String(parameters.get('name')), message as RequestParts)
  return (DERIVED_VALUES[name] as (parts: RequestParts) => string)(message as RequestParts)
}

function missingRequestError(component: Component): AlvariumError {
  return needs('request', `the request that is answered, for the signed component ${identifierOf(component)}`)
}

function fieldOf(name: string, parameters: ReadonlyMap<string, unknown>, fields: Fields): string {
  const lines = fields.lines(name).map((line) => line.trim())
  if (lines.length === 0) throw missingHeader(name, ', but was signed')
  const key = parameters.get('key')
  if (key === undefined) {
    return (parameters.has('bs') ? lines.map((line) => `:${btoa(line)}:`) : lines).join(', ')
  }
  if (!parameters.has('bs')) return memberOf(name, String(key), fields)
  throw malformed('signature-input', `${name} with either ;bs or ;key="…"`, 'both parameters')
}

function memberOf(name: string, key: string, fields: Fields): string {
  const member = dictionaryIn(fields, name).get(key)
  if (member === undefined) {
    throw malformed(name, `a member ${quote(key)}`, quote(fields.lines(name).join(', ')))
  }
  const text = isInnerList(member) ? serializeInnerList(member) : serializeItem(member)
  spend(allowanceOf(fields), name, text.length, 0)
  return text
}

function schemeOf({ scheme }: RequestParts): string {
  return scheme.toLowerCase()
}

/** Returns the authority in lower case, without the default port of the scheme. */
function authorityOf(parts: RequestParts): string {
  const usual = schemeOf(parts) === 'https' ? /:(443)?$/ : /:(80)?$/
  return parts.authority.toLowerCase().replace(usual, '')
}

/** Returns the path. Returns `/` for a URL without a path, and for `OPTIONS *` (RFC 9110, 7.1). */
function pathOf({ path }: RequestParts): string {
  return path === '' || path === '*' ? '/' : path
}

/** Returns the request target: `*` for `OPTIONS` with a URL that has no path (RFC 9112, 3.2.4). */
function targetOf(parts: RequestParts): string {
  const { method, path, query } = parts
  if (path === '*' || (method === 'OPTIONS' && path === '' && query === undefined)) return '*'
  return `${pathOf(parts)}${query ?? ''}`
}
