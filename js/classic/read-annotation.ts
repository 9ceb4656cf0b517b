import { toBytes } from '../base/hex.js'
import type { HashName } from '../model/bundle.js'
import type { ClassicAnnotation } from './annotation.js'
import type { Dialect, Member } from './dialect.js'
import { malformed, shown } from './faults.js'
import { stringEnd } from './scan.js'

/** An annotation and what its signature is over; not verified. */
export interface SignedAnnotation {
  readonly annotation: ClassicAnnotation
  readonly signedText: string
  readonly signature: Uint8Array
}

const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/
const HASH = /^(sha256|md5|none)$/
/** Java leaves the seconds out where they are zero. */
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/
const signatureShape = ({ upperSignature }: Dialect): [RegExp, string] =>
  upperSignature
    ? [/^[0-9A-F]{128}$/, '128 upper-case hexadecimal digits']
    : [/^[0-9a-f]{128}$/, '128 lower-case hexadecimal digits']

/** Where a member stands in an annotation's text, from its comma on, and what it says. */
interface Place {
  readonly start: number
  readonly end: number
  readonly value: unknown
}

type Places = ReadonlyMap<Member, Place>

/**
 * Reads an annotation's text, member after member in the order in which the dialect's SDK writes them: so none can be
 * there twice, and what is read is what the signature is over.
 *
 * @throws AlvariumError `MESSAGE_MALFORMED`
 */
export function readAnnotation(text: string, dialect: Dialect): SignedAnnotation {
  const places = placesOf(text, dialect)
  const annotation = annotationOf(places)
  const signature = textOf(places, 'signature', ...signatureShape(dialect))
  const { start, end } = places.get('signature') as Place
  return {
    annotation,
    signedText: dialect.signedText({ before: text.slice(0, start), after: text.slice(end) }),
    signature: toBytes(signature) as Uint8Array,
  }
}

function annotationOf(places: Places): ClassicAnnotation {
  const isSatisfied = places.get('isSatisfied')?.value
  if (typeof isSatisfied !== 'boolean') throw malformed('isSatisfied', 'true or false', shown(isSatisfied))
  return {
    id: textOf(places, 'id', ULID, 'a ULID'),
    key: textOf(places, 'key'),
    hash: textOf(places, 'hash', HASH, 'sha256, md5 or none') as HashName,
    host: textOf(places, 'host'),
    tag: textOf(places, 'tag'),
    layer: textOf(places, 'layer'),
    kind: textOf(places, 'kind', /./s, 'a text'),
    isSatisfied,
    timestamp: textOf(places, 'timestamp', TIMESTAMP, 'an RFC 3339 timestamp'),
  }
}

function placesOf(text: string, { members, comma, colon }: Dialect): Places {
  const places = new Map<Member, Place>()
  let at = 1
  for (const name of members) {
    const label = `${places.size > 0 ? comma : ''}"${name}"${colon}`
    if (!text.startsWith(label, at)) continue
    const begin = at + label.length
    const end = valueEnd(text, begin)
    places.set(name, { start: at, end, value: parsedValue(name, text.slice(begin, end)) })
    at = end
  }
  if (text.slice(at) === '}') return places
  throw malformed('annotation', `the members ${members.join(', ')} in this order`, shown(text.slice(at)))
}

function valueEnd(text: string, at: number): number {
  if (text[at] === '"') return stringEnd(text, at)
  const word = ['true', 'false', 'null'].find((one) => text.startsWith(one, at))
  return at + (word?.length ?? 0)
}

function parsedValue(name: Member, json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    throw malformed(name, 'a JSON string, true, false or null', shown(json))
  }
}

/** A member's text: empty where there is none, which is how Go and Java write it. */
function textOf(places: Places, name: Member, shape = /^/, expected = 'Unicode text'): string {
  const value = places.get(name)?.value ?? ''
  if (typeof value === 'string' && value.isWellFormed() && shape.test(value)) return value
  throw malformed(name, expected, shown(value))
}
