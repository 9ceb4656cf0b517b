import { fromBase64 } from '../../foundation/base/bytes/base64.js'
import { assertBytes, malformed, textOf } from '../../foundation/base/errors.js'
import { stringEnd } from '../../foundation/base/text/scan.js'
import { exactText } from '../../foundation/base/text/text.js'
import { MaxBytes, MaxCount } from '../../foundation/core/core.js'
import { ACTIONS, type Action } from '../../foundation/model/bundle.js'
import { type Dialect, dialectOf } from './dialect.js'
import { show } from './faults.js'

export interface ReadMessage {
  readonly action: Action
  readonly dialect: Dialect
  /** Annotations as texts, exactly as received, because signatures cover the texts and not the values. */
  readonly items: readonly string[]
}

export function readMessage(message: Uint8Array): ReadMessage {
  const envelope = envelopeOf(message)
  const { dialect } = envelope
  if (dialect) return readList(envelope, dialect)
  const expected = 'an AnnotationList of the Go, Java, Rust or Python SDK (verifyMessage reads bundles)'
  throw malformed('messageType', expected, show(envelope.messageType))
}

/** Parses a classic message. Returns undefined for another `messageType`, and for bytes that are no envelope. */
export function readIfClassic(message: Uint8Array): ReadMessage | undefined {
  const envelope = envelopeIn(message, MAX_MARKS.classic)
  return 'dialect' in envelope && envelope.dialect ? readList(envelope, envelope.dialect) : undefined
}

const ANNOUNCEMENT_ACTIONS = ['broadcast', 'end-stream']

/**
 * Returns whether a message is an announcement that Go's SDK publishes on MQTT about its Hedera topics when
 * it connects and closes. Announcements are unsigned and have no payload.
 */
export function isAnnouncement(message: Uint8Array): boolean {
  const envelope = envelopeIn(message, MAX_MARKS.classic)
  if ('got' in envelope) return false
  const { action, messageType, content } = envelope
  return (
    messageType === 'string' && ANNOUNCEMENT_ACTIONS.includes(String(action)) && typeof content === 'string'
  )
}

interface Envelope {
  readonly text: string
  readonly action: unknown
  readonly messageType: unknown
  readonly content: unknown
  readonly dialect: Dialect | undefined
}

/** Reason why bytes are not an envelope. It is not an `Error`, because creating one takes longer than reading. */
interface NoEnvelope {
  readonly expected: string
  readonly got: string
}

function envelopeOf(message: Uint8Array): Envelope {
  const envelope = envelopeIn(message, MAX_MARKS.any)
  if ('got' in envelope) throw malformed('message', envelope.expected, envelope.got)
  return envelope
}

function envelopeIn(message: Uint8Array, maxMarks: number): Envelope | NoEnvelope {
  assertBytes(message, 'message')
  if (message.length > MaxBytes.Message) {
    return { expected: `at most ${MaxBytes.Message} bytes`, got: `${message.length}` }
  }
  const text = utf8In(message)
  if (text === undefined) return { expected: 'UTF-8', got: 'other bytes' }
  const { value, fault } = parseJson(text, maxMarks)
  if (fault !== undefined) return fault
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  const names = isObject ? Object.keys(value).sort().join() : undefined
  // Accept any JSON formatting, because the envelope is unsigned and another program may have rewritten it.
  if (names !== 'action,content,messageType') return { expected: MEMBERS, got: show(names ?? value) }
  const { action, messageType, content } = value as Record<string, unknown>
  const dialect = typeof messageType === 'string' ? dialectOf(messageType) : undefined
  return { text, action, messageType, content, dialect }
}

const MEMBERS = 'an object of action, messageType and content'

function readList({ text, action, content }: Envelope, dialect: Dialect): ReadMessage {
  const known = ACTIONS.find((name) => name === action)
  if (!known) throw malformed('action', 'create, mutate, transit or publish', show(action))
  const items = itemsOf(readContent(content), dialect)
  assertNoneTwice(text)
  return { action: known, dialect, items }
}

/**
 * Asserts that no member of an envelope is repeated, by counting quotation marks: three names and three string
 * values have 12.
 */
function assertNoneTwice(text: string): void {
  if (text.split('"', 14).length !== 13) throw malformed('message', 'each member once', 'a repeated member')
}

/**
 * Maximum number of quotation marks, commas, lists and objects in the JSON of an envelope, counted together. The
 * envelope of a classic message has 15: 12 quotation marks, 2 commas and 1 object. With `classic`, most bundles are
 * recognised by their beginning and not parsed. With `any`, an error can name the type of a bundle.
 */
const MAX_MARKS = { classic: 40, any: 10_000 }

/** Parses the JSON of an envelope. Refuses JSON with more marks, because parsing it would take long. */
function parseJson(
  text: string,
  maxMarks: number,
): { readonly value?: unknown; readonly fault?: NoEnvelope } {
  if (text.split(/["[{,]/, maxMarks + 1).length > maxMarks)
    return { fault: { expected: MEMBERS, got: 'more' } }
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    // Report a stack overflow as malformed too, because deep nesting causes it.
    return { fault: { expected: 'JSON', got: textOf(error) } }
  }
}

function readContent(content: unknown): string {
  const bytes = typeof content === 'string' ? fromBase64(content) : undefined
  if (!bytes) throw malformed('content', 'padded standard base64', show(content))
  const text = utf8In(bytes)
  if (text === undefined) throw malformed('content', 'UTF-8', 'other bytes')
  return text
}

function utf8In(bytes: Uint8Array): string | undefined {
  try {
    return exactText(bytes)
  } catch {
    return undefined
  }
}

/** Splits `{"items":[…]}` into texts of annotations. Annotations with nested objects are refused. */
function itemsOf(list: string, { comma, colon, omitsEmpty }: Dialect): string[] {
  const [begin, end] = [`{"items"${colon}[`, ']}']
  if (list === begin + end || (omitsEmpty && list === '{}')) return []
  if (!list.startsWith(begin)) throw malformed('content', `a text that begins with ${begin}`, show(list))
  const items: string[] = []
  for (let at = begin.length; ; at += comma.length) {
    const itemEnd = objectEnd(list, at)
    items.push(list.slice(at, itemEnd))
    if (items.length > MaxCount.Annotations)
      throw malformed('items', `at most ${MaxCount.Annotations} annotations`, 'more')
    at = itemEnd
    if (list.slice(at) === end) return items
    if (!list.startsWith(comma, at))
      throw malformed('items', 'flat objects with commas between', show(list.slice(at)))
  }
}

function objectEnd(text: string, at: number): number {
  if (text[at] !== '{') throw malformed('items', 'flat objects with commas between', show(text.slice(at)))
  for (let offset = at + 1; offset < text.length; offset++) {
    if (text[offset] === '}') return offset + 1
    if (text[offset] === '"') offset = stringEnd(text, offset) - 1
  }
  return text.length
}
