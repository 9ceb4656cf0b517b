import { malformed } from '../../foundation/base/errors.js'
import { quote } from '../../foundation/base/text/text.js'
import { allowanceOf, MAX_CHARACTERS, spend } from './allowance.js'
import type { RequestParts } from './request.js'

const MAX_PARAMETERS = 128

/** Parameters that were read of a request: a signature can name each of them. */
const parametersByRequest = new WeakMap<RequestParts, ReadonlyMap<string, readonly string[]>>()

/**
 * Returns the value of `"@query-param";name="…"`: decoded as in forms, and encoded again in one way (RFC 9421, 2.2.8).
 * Refuses a name that occurs twice, because the meant one is unknown.
 *
 * @throws AlvariumError `MESSAGE_MALFORMED`
 */
export function queryParameter(name: string, parts: RequestParts): string {
  const parameters = parametersByRequest.get(parts) ?? parametersIn(parts)
  parametersByRequest.set(parts, parameters)
  const [value, ...more] = parameters.get(name) ?? []
  if (value !== undefined && more.length === 0) {
    const written = encodeForm(value)
    spend(allowanceOf(parts.fields), '@query-param', written.length, 0)
    return written
  }
  const count = value === undefined ? 0 : 1 + more.length
  throw malformed('@query-param', `one parameter ${quote(name)} in the query`, `${count}`)
}

function parametersIn({ query = '?', fields }: RequestParts): ReadonlyMap<string, readonly string[]> {
  assertQueryLimits(query, '@query-param')
  spend(allowanceOf(fields), '@query-param', query.length, 0)
  assertDecodable(query)
  const found = new Map<string, string[]>()
  for (const [name, value] of new URLSearchParams(query)) {
    const key = encodeForm(name)
    const values = found.get(key)
    if (values) values.push(value)
    else found.set(key, [value])
  }
  return found
}

/** Asserts that a query is UTF-8. Decoding would turn other bytes into one replacement character, and slowly. */
function assertDecodable(query: string): void {
  try {
    decodeURIComponent(query)
  } catch {
    throw malformed('@query-param', 'a query whose percent-encoding is UTF-8', quote(query))
  }
}

/**
 * Asserts that a query whose parameters are signed one by one is short enough.
 *
 * @throws AlvariumError `MESSAGE_MALFORMED`
 */
export function assertQueryLimits(query: string, field: string): void {
  if (query.length > MAX_CHARACTERS) {
    throw malformed(field, `a query of at most ${MAX_CHARACTERS} characters`, `${query.length}`)
  }
  const count = query.split('&').length
  if (count > MAX_PARAMETERS) throw malformed(field, `at most ${MAX_PARAMETERS} parameters`, `${count}`)
}

function encodeForm(text: string): string {
  const begun = encodeURIComponent(text)
  // Replace each character alone: a replacer function takes ten times as long.
  return FORM_ENCODINGS.reduce((all, [one, percent]) => all.replaceAll(one, percent), begun)
}

/** Characters that forms encode, but `encodeURIComponent` does not. */
const FORM_ENCODINGS = ['!', "'", '(', ')', '~'].map(
  (one) => [one, `%${one.charCodeAt(0).toString(16).toUpperCase()}`] as const,
)
