import { describe, malformed } from '../../foundation/base/errors.js'
import { quote } from '../../foundation/base/text/text.js'

/** Header fields: fetch's `Headers`, an array of pairs, or an object like that of Node's `getHeaders()`. */
export type HeaderFields =
  | Iterable<readonly [string, string]>
  | Readonly<Record<string, string | number | readonly string[] | undefined>>

/** Maximum number of characters in all lines of a field. Node's servers accept 16 KiB for all fields. */
const MAX_FIELD_LENGTH = 32_768
/** Maximum number of header lines. Proxies accept about 100. */
const MAX_LINES = 256
/** Pattern of a field value. Excludes line ends, which would start a new line of the signature base. */
const FIELD_TEXT = /^[\t\x20-\x7e]*$/

/** Header fields of a message. Each field is validated when it is first read. */
export class Fields {
  readonly #values = new Map<string, string[]>()
  readonly #checked = new Map<string, readonly string[]>()

  /** Groups header lines by name. @throws AlvariumError `MESSAGE_MALFORMED` for more than 256 lines */
  constructor(pairs: Iterable<readonly [string, string]>) {
    let count = 0
    for (const [name, value] of pairs) {
      if (++count > MAX_LINES) throw malformed('headers', `at most ${MAX_LINES} lines`, 'more')
      const key = name.toLowerCase()
      const values = this.#values.get(key)
      if (values) values.push(value)
      else this.#values.set(key, [value])
    }
  }

  /**
   * Returns one value for each line of a field, with its white space. The case of the name does not matter.
   */
  lines(name: string): readonly string[] {
    const key = name.toLowerCase()
    const known = this.#checked.get(key)
    if (known) return known
    const given = this.#values.get(key) ?? []
    // Join cookie lines, because HTTP/2 may split a cookie (RFC 9113, 8.2.3).
    const values = key === 'cookie' && given.length > 1 ? [given.join('; ')] : given
    assertReadable(name, values)
    this.#checked.set(key, values)
    return values
  }

  with(name: string, value: string): Fields {
    return new Fields([...pairsIn(this.#values), [name, value]])
  }
}

function* pairsIn(values: ReadonlyMap<string, readonly string[]>): Generator<readonly [string, string]> {
  for (const [name, lines] of values) for (const line of lines) yield [name, line]
}

function assertReadable(name: string, lines: readonly string[]): void {
  const length = lines.reduce((sum, line) => sum + line.length, 0)
  if (length > MAX_FIELD_LENGTH) throw malformed(name, `at most ${MAX_FIELD_LENGTH} characters`, `${length}`)
  const bad = lines.find((line) => !FIELD_TEXT.test(line))
  if (bad !== undefined) throw malformed(name, 'printable ASCII without line ends', quote(bad))
}

/** Reads header fields. Prefers Node's `rawHeaders`, because `headers` drops some repeated fields. */
export function fieldsOf(
  message: { readonly headers: HeaderFields } | { readonly rawHeaders: readonly string[] },
): Fields {
  if ('rawHeaders' in message) return new Fields(rawPairs(message.rawHeaders))
  const { headers } = message
  if (typeof headers !== 'object' || headers === null) {
    throw new TypeError(`headers: expected Headers, pairs or an object, got ${describe(headers)}`)
  }
  return new Fields(isIterable(headers) ? headers : pairsOfObject(headers))
}

function* rawPairs(raw: readonly string[]): Generator<readonly [string, string]> {
  for (let at = 0; at + 1 < raw.length; at += 2) yield [String(raw[at]), String(raw[at + 1])]
}

function* pairsOfObject(
  headers: Exclude<HeaderFields, Iterable<unknown>>,
): Generator<readonly [string, string]> {
  for (const name in headers) {
    if (!Object.hasOwn(headers, name)) continue
    for (const line of [headers[name] ?? []].flat()) yield [name, String(line)]
  }
}

function isIterable(headers: HeaderFields): headers is Iterable<readonly [string, string]> {
  return Symbol.iterator in headers
}
