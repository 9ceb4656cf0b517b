import { malformed } from '../../foundation/base/errors.js'
import { quote } from '../../foundation/base/text/text.js'
import { allowanceOf, MAX_CHARACTERS, spend } from './allowance.js'
import type { RequestParts } from './request.js'

const MAX_PARAMETERS = 128

/** Cache of parsed query parameters by request, because each signed parameter needs them. */
const parametersByRequest = new WeakMap<RequestParts, ReadonlyMap<string, readonly string[]>>()

/**
 * Returns the value of `"@query-param";name="…"`, decoded as a form and percent-encoded again (RFC 9421,
 * 2.2.8). Throws if the name occurs twice, because it is unclear which value is signed.
 */
export function queryParameter(name: string, parts: RequestParts): string {
  const parameters = parametersByRequest.get(parts) ?? parametersIn(parts)
  parametersByRequest.set(parts, parameters)
  const [value, ...more] = parameters.get(name) ?? []
  if (value !== undefined && more.length === 0) {
    const encodedValue = encodeForm(value)
    spend(allowanceOf(parts.fields), '@query-param', encodedValue.length, 0)
    return encodedValue
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

/** Asserts that a query is percent-encoded UTF-8. Decoding would turn different invalid bytes into the same text. */
function assertDecodable(query: string): void {
  try {
    decodeURIComponent(query)
  } catch {
    throw malformed('@query-param', 'a query whose percent-encoding is UTF-8', quote(query))
  }
}

/** Asserts that a query with individually signed parameters is within the limits of length and count. */
export function assertQueryLimits(query: string, field: string): void {
  if (query.length > MAX_CHARACTERS) {
    throw malformed(field, `a query of at most ${MAX_CHARACTERS} characters`, `${query.length}`)
  }
  const count = query.split('&').length
  if (count > MAX_PARAMETERS) throw malformed(field, `at most ${MAX_PARAMETERS} parameters`, `${count}`)
}

function encodeForm(text: string): string {
  const begun = encodeURIComponent(text)
  // Replace one character at a time, because a replacer function takes ten times as long.
  return FORM_ENCODINGS.reduce((all, [one, percent]) => all.replaceAll(one, percent), begun)
}

/** Characters that form encoding escapes but `encodeURIComponent` does not, with their escapes. */
const FORM_ENCODINGS = ['!', "'", '(', ')', '~'].map(
  (one) => [one, `%${one.charCodeAt(0).toString(16).toUpperCase()}`] as const,
)
