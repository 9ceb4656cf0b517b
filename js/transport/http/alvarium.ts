// Reads and writes the early draft of HTTP Message Signatures that the Alvarium SDKs for Go, Java and Python
// use:
//
//   Signature-Input: "@method" "@path" "Content-Type";created=1646146637;keyid="public.key";alg="ed25519";
//   Signature: <hexadecimal>

import { malformed } from '../../foundation/base/errors.js'
import { quote } from '../../foundation/base/text/text.js'
import { assertSignable, missingHeader } from './fault.js'
import { assertQueryLimits } from './query.js'
import type { RequestParts } from './request.js'

/** Alvarium SDK that signs or verifies a request. The signature bases of the three SDKs differ. */
export type HttpDialect = 'go' | 'java' | 'python'

interface AlvariumInput {
  /** Names of the signed components, in the order and spelling of `Signature-Input`. */
  readonly fields: readonly string[]
  /** Text of `Signature-Input` after the names of the components. The signature covers this text unchanged. */
  readonly parameterText: string
  readonly keyId: string
  readonly alg: string
  readonly created: number | undefined
  readonly expires: number | undefined
}

const MAX_INPUT_LENGTH = 8192
const MAX_FIELDS = 64
const MAX_PARAMETERS = 32
/** Pattern of a header name or of a derived component such as `@method`. */
export const FIELD_NAME = /^@?[\w!#$%&'*+.^`|~-]+$/
const PARAMETER = /^([a-z]+)=(?:"([^"]*)"|(\d{1,15}))$/
/** Pattern of a key name. Excludes line ends, `"` and `;`, which could alter the signature base. */
export const KEY_NAME = /^[\x20\x21\x23-\x3a\x3c-\x7e]+$/

export function parseInput(text: string): AlvariumInput {
  if (text.length > MAX_INPUT_LENGTH) {
    throw malformed('signature-input', `at most ${MAX_INPUT_LENGTH} characters`, `${text.length}`)
  }
  const at = text.indexOf(';')
  const head = at < 0 ? text : text.slice(0, at)
  const fields = head
    .trim()
    .split(/[ \t]+/)
    .map(unquote)
  if (fields.length > MAX_FIELDS) {
    throw malformed('signature-input', `at most ${MAX_FIELDS} signed components`, `${fields.length}`)
  }
  if (!fields.every((name) => FIELD_NAME.test(name))) {
    throw malformed('signature-input', 'names in double quotes, then ; and parameters', quote(text))
  }
  assertOnce(fields.map((name) => name.toLowerCase()))
  const tail = text.slice(head.length + 1)
  const { keyid: keyId, alg, created, expires } = parametersOf(tail)
  if (keyId === undefined || alg === undefined) {
    throw malformed('signature-input', 'the parameters keyid and alg', quote(tail))
  }
  return { fields, parameterText: tail, keyId, alg, created: secondsOf(created), expires: secondsOf(expires) }
}

/** Returns the text between double quotes. Without quotes, returns `''`, which is not a valid name. */
function unquote(text: string): string {
  return /^"([^"]+)"$/.exec(text)?.[1] ?? ''
}

function secondsOf(digits: string | undefined): number | undefined {
  return digits === undefined ? undefined : Number(digits)
}

/** Parses parameters strictly. The Go, Java and Python SDKs search the text and can confuse parameters. */
function parametersOf(tail: string): Record<string, string | undefined> {
  const found = new Map<string, string>()
  const parts = tail.replace(/;$/, '').split(';')
  if (parts.length > MAX_PARAMETERS) {
    throw malformed('signature-input', `at most ${MAX_PARAMETERS} parameters`, `${parts.length}`)
  }
  for (const part of parts) {
    const [, name, text, digits] = PARAMETER.exec(part) ?? []
    const value = name === 'created' || name === 'expires' ? digits : text
    if (name === undefined || value === undefined) {
      throw malformed('signature-input', 'parameters such as keyid="name"', quote(part))
    }
    if (found.has(name)) throw malformed('signature-input', 'each parameter once', `${name} twice`)
    found.set(name, value)
  }
  return Object.fromEntries(found)
}

function assertOnce(names: readonly string[]): void {
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) throw malformed('signature-input', 'each component once', `${quote(twice)} twice`)
}

/** Returns a header's value. Throws if there are two values, because other code might read the second. */
export function singleLine(parts: RequestParts, name: string): string {
  const [line, ...more] = parts.fields.lines(name)
  if (line === undefined) throw missingHeader(name)
  if (more.length > 0) throw malformed(name, 'one header of this name', `${more.length + 1}`)
  return line.trim()
}

export function writeInput(fields: readonly string[], created: number, keyId: string): string {
  return `${fields.map((name) => `"${name}"`).join(' ')};created=${created};keyid="${keyId}";alg="ed25519";`
}

/**
 * Returns the signature base: a line `"name" value` for each component, then the parameters of the header.
 *
 * The Go and Java SDKs decode `@path`. For a missing `@query`, Go and Python write `?` and Java writes `?null`.
 * Python leaves `@path` and white space inside of values unchanged.
 *
 * @throws AlvariumError `MESSAGE_MALFORMED` naming the component that cannot be signed
 */
export function signatureBaseOf(
  { fields, parameterText: tail }: AlvariumInput,
  parts: RequestParts,
  dialect: HttpDialect,
): string {
  const isQuerySigned = fields.includes('@query') || fields.includes('@target-uri')
  const values = fields.filter((name) => !name.startsWith('@')).flatMap((name) => parts.fields.lines(name))
  // Limit the length before white space is collapsed, because collapsing long values takes time.
  assertSignable(values.reduce((sum, line) => sum + line.length, 0))
  const lines = fields.map((name) => {
    if (name === '@query-params') return parameterLines(parts, isQuerySigned)
    return `"${name}" ${name.startsWith('@') ? derivedValue(name, parts, dialect) : fieldOf(name, parts, dialect)}\n`
  })
  const seed = lines.join('')
  assertSignable(seed.length)
  return `${seed};${tail}`
}

function derivedValue(name: string, parts: RequestParts, dialect: HttpDialect): string {
  const { method, scheme, authority, path, query } = parts
  if (name === '@method') return method
  if (name === '@target-uri') return `${scheme}://${authority}${path}${query ?? ''}`
  if (name === '@authority') return authority
  if (name === '@scheme') return scheme
  if (name === '@path') return dialect === 'python' ? path : decodePath(path)
  if (name === '@query') return query ?? (dialect === 'java' ? '?null' : '?')
  const known = '@method, @target-uri, @authority, @scheme, @path, @query or @query-params'
  throw malformed('signature-input', known, quote(name))
}

/** Decodes a path. Throws for control characters. A line end would add a line to the signature base. */
function decodePath(path: string): string {
  try {
    const text = decodeURIComponent(path)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern searches for control characters
    if (!/[\x00-\x1f\x7f]/.test(text)) return text
  } catch {
    // Invalid percent-encoding: throw below.
  }
  throw malformed('@path', 'a path whose percent-encoding is UTF-8 without control characters', quote(path))
}

/** Returns a line per query parameter. A single parameter has a space before `;name=`, as in the Go and Java SDKs. */
function parameterLines({ query = '?' }: RequestParts, isQuerySigned: boolean): string {
  assertQueryLimits(query, '@query-params')
  const given = query
    .slice(1)
    .split('&')
    .filter((one) => one !== '')
  const space = given.length === 1 ? ' ' : ''
  return given.map((one) => `"@query-params"${space};name=${parameterLine(one, isQuerySigned)}\n`).join('')
}

function parameterLine(parameter: string, isQuerySigned: boolean): string {
  const [name, value, ...rest] = parameter.split('=')
  if (value === undefined || (rest.length > 0 && !isQuerySigned)) {
    // Refuse a second `=`, because the signature base would omit the text after it and leave that text unsigned.
    const expected = 'parameters with one =, or @query among the signed components as well'
    throw malformed('@query-params', expected, quote(parameter))
  }
  return `"${name}": ${value}`
}

function fieldOf(name: string, parts: RequestParts, dialect: HttpDialect): string {
  const lines = parts.fields.lines(name)
  if (lines.length === 0) throw missingHeader(name, ', but was signed')
  const value = lines.join(', ')
  return (dialect === 'python' ? value : value.replace(/[ \t]{2,}|\t/g, ' ')).trim()
}
