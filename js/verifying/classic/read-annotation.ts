import { toBytes } from '../../foundation/base/bytes/hex.js'
import { malformed } from '../../foundation/base/errors.js'
import { stringEnd } from '../../foundation/base/text/scan.js'
import { isWellFormed, utf8Length } from '../../foundation/base/text/text.js'
import { MaxBytes } from '../../foundation/core/core.js'
import type { HashName } from '../../foundation/model/bundle.js'
import type { ClassicAnnotation } from './annotation.js'
import type { Dialect, MemberName } from './dialect.js'
import { show } from './faults.js'
import { isTimestamp } from './timestamp.js'

export interface ReadAnnotation {
  readonly annotation: ClassicAnnotation
  readonly signedText: string
  readonly signature: Uint8Array
}

/** Condition for a member's text, and the description of the condition for errors. */
type Shape = readonly [fits: (text: string) => boolean, expected: string]

const matches = (shape: RegExp) => (text: string) => shape.test(text)
const atMost = (maxBytes: number, least = 0): Shape => [
  (text) => text.length >= least && utf8Length(text) <= maxBytes,
  `${least} to ${maxBytes} bytes of text`,
]

const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/
const HASH = /^(sha256|md5|none)$/
/** Maximum number of digits in a hashed payload key: SHA-256 in hexadecimal. */
const MAX_HASH_DIGITS = 64
const signatureShape = ({ upperSignature }: Dialect): Shape =>
  upperSignature
    ? [matches(/^[0-9A-F]{128}$/), '128 upper-case hexadecimal digits']
    : [matches(/^[0-9a-f]{128}$/), '128 lower-case hexadecimal digits']

/** Range of a member in an annotation's text, including the comma before it, and the parsed value. */
interface MemberSpan {
  readonly start: number
  readonly end: number
  readonly value: unknown
}

type Spans = ReadonlyMap<MemberName, MemberSpan>

/**
 * Parses an annotation, one member after another in the order of the dialect's SDK. Therefore, no member can
 * occur twice, and the values are exactly the signed ones.
 */
export function readAnnotation(text: string, dialect: Dialect): ReadAnnotation {
  const spans = spansOf(text, dialect)
  const annotation = annotationOf(spans, dialect)
  const signature = textOf(spans, 'signature', signatureShape(dialect))
  const { start, end } = spans.get('signature') as MemberSpan
  return {
    annotation,
    signedText: dialect.signedText({ before: text.slice(0, start), after: text.slice(end) }),
    signature: toBytes(signature) as Uint8Array,
  }
}

function annotationOf(spans: Spans, dialect: Dialect): ClassicAnnotation {
  const isSatisfied = spans.get('isSatisfied')?.value
  if (typeof isSatisfied !== 'boolean') throw malformed('isSatisfied', 'true or false', show(isSatisfied))
  const hash = textOf(spans, 'hash', [matches(HASH), 'sha256, md5 or none']) as HashName
  const longestKey = hash === 'none' ? MaxBytes.Unhashed * dialect.plainKeyGrowth : MAX_HASH_DIGITS
  return {
    id: textOf(spans, 'id', [matches(ULID), 'a ULID']),
    key: textOf(spans, 'key', atMost(longestKey)),
    hash,
    host: textOf(spans, 'host', atMost(MaxBytes.Name)),
    tag: textOf(spans, 'tag', atMost(MaxBytes.Tag)),
    layer: textOf(spans, 'layer', atMost(MaxBytes.Name)),
    kind: textOf(spans, 'kind', atMost(MaxBytes.Name, 1)),
    isSatisfied,
    timestamp: textOf(spans, 'timestamp', [(text) => isTimestamp(text, dialect), 'an RFC 3339 timestamp']),
  }
}

function spansOf(text: string, { members, comma, colon }: Dialect): Spans {
  const spans = new Map<MemberName, MemberSpan>()
  let at = 1
  for (const name of members) {
    const label = `${spans.size > 0 ? comma : ''}"${name}"${colon}`
    if (!text.startsWith(label, at)) continue
    const begin = at + label.length
    const end = valueEnd(text, begin)
    spans.set(name, { start: at, end, value: parsedValue(name, text.slice(begin, end)) })
    at = end
  }
  if (text.slice(at) === '}') return spans
  throw malformed('annotation', `the members ${members.join(', ')} in this order`, show(text.slice(at)))
}

function valueEnd(text: string, at: number): number {
  if (text[at] === '"') return stringEnd(text, at)
  const word = ['true', 'false', 'null'].find((one) => text.startsWith(one, at))
  return at + (word?.length ?? 0)
}

function parsedValue(name: MemberName, json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    throw malformed(name, 'a JSON string, true, false or null', show(json))
  }
}

/** Returns a member's text. Returns an empty text for an absent member, because Go omits empty ones. */
function textOf(spans: Spans, name: MemberName, [fits, expected]: Shape): string {
  const value = spans.get(name)?.value ?? ''
  if (typeof value === 'string' && isWellFormed(value) && fits(value)) return value
  throw malformed(name, expected, show(value))
}
