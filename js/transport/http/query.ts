import { malformed } from '../../foundation/base/errors.js'
import { quote } from '../../foundation/base/text/text.js'
import { allowanceOf, LONGEST, spend } from './allowance.js'
import type { RequestParts } from './request.js'

const MOST_PARAMETERS = 128

/** Parameters that were read of a request: a signature can name each of them. */
const read = new WeakMap<RequestParts, ReadonlyMap<string, readonly string[]>>()

/**
 * Returns the value of `"@query-param";name="…"`: decoded as in forms, and encoded again in one way (RFC 9421, 2.2.8).
 * Refuses a name that occurs twice, because the meant one is unknown.
 *
 * @throws AlvariumError `MESSAGE_MALFORMED`
 */
export function queryParameter(name: string, parts: RequestParts): string {
  const parameters = read.get(parts) ?? parametersIn(parts)
  read.set(parts, parameters)
  const [value, ...more] = parameters.get(name) ?? []
  if (value !== undefined && more.length === 0) {
    const written = encoded(value)
    spend(allowanceOf(parts.fields), '@query-param', written.length, 0)
    return written
  }
  const count = value === undefined ? 0 : 1 + more.length
  throw malformed('@query-param', `one parameter ${quote(name)} in the query`, `${count}`)
}

function parametersIn({ query = '?', fields }: RequestParts): ReadonlyMap<string, readonly string[]> {
  assertFew(query, '@query-param')
  spend(allowanceOf(fields), '@query-param', query.length, 0)
  assertDecodable(query)
  const found = new Map<string, string[]>()
  for (const [name, value] of new URLSearchParams(query)) {
    const key = encoded(name)
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
export function assertFew(query: string, field: string): void {
  if (query.length > LONGEST) {
    throw malformed(field, `a query of at most ${LONGEST} characters`, `${query.length}`)
  }
  const count = query.split('&').length
  if (count > MOST_PARAMETERS) throw malformed(field, `at most ${MOST_PARAMETERS} parameters`, `${count}`)
}

function encoded(text: string): string {
  const begun = encodeURIComponent(text)
  // Replace each character alone: a replacer function takes ten times as long.
  return LEFT_OUT.reduce((all, [one, percent]) => all.replaceAll(one, percent), begun)
}

/** Characters that forms encode, but `encodeURIComponent` does not. */
const LEFT_OUT = ['!', "'", '(', ')', '~'].map(
  (one) => [one, `%${one.charCodeAt(0).toString(16).toUpperCase()}`] as const,
)
