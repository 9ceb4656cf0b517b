import { describe, malformed } from '../../foundation/base/errors.js'
import { quote } from '../../foundation/base/text/text.js'

/** Header fields: fetch's `Headers`, an array of pairs, or an object as from Node's `getHeaders()`. */
export type HeaderFields =
  | Iterable<readonly [string, string]>
  | Readonly<Record<string, string | number | readonly string[] | undefined>>

/** Limit in characters of a field's value, all of its lines together. Node's servers accept 16 KiB for all fields. */
const MAX_FIELD_LENGTH = 32_768
/** Limit of header lines. Proxies accept about 100. */
const MAX_LINES = 256
/** Characters of a value. A line end would begin another line of the signed text. */
const FIELD_TEXT = /^[\t\x20-\x7e]*$/

/** Header fields of a message, each read when first needed. */
export class Fields {
  readonly #values = new Map<string, string[]>()
  readonly #checked = new Map<string, readonly string[]>()

  /** @throws AlvariumError `MESSAGE_MALFORMED` when there are too many */
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
   * Returns the values of a field, whose name may be in upper or lower case: one for each line, with its white space.
   *
   * @throws AlvariumError `MESSAGE_MALFORMED`
   */
  lines(name: string): readonly string[] {
    const key = name.toLowerCase()
    const known = this.#checked.get(key)
    if (known) return known
    const given = this.#values.get(key) ?? []
    // Join cookies, which HTTP/2 may send in pieces (RFC 9113, 8.2.3).
    const values = key === 'cookie' && given.length > 1 ? [given.join('; ')] : given
    assertReadable(name, values)
    this.#checked.set(key, values)
    return values
  }

  /** Returns the same fields with one more. */
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

/**
 * Reads the header fields of a message. Prefers `rawHeaders` where Node has both, because `headers` shows only one of
 * some repeated fields.
 */
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
