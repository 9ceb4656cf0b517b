import { fromBase64 } from '../base/bytes/base64.js'
import { assertBytes, isVerdict, malformed, textOf } from '../base/errors.js'
import { stringEnd } from '../base/text/scan.js'
import { exactText } from '../base/text/text.js'
import { Longest, Most } from '../core/core.js'
import { ACTIONS, type Action } from '../model/bundle.js'
import { type Dialect, dialectOf } from './dialect.js'
import { shown } from './faults.js'

/** A classic message taken apart; nothing in it has been verified. */
export interface ReadMessage {
  readonly action: Action
  readonly dialect: Dialect
  /** The annotations' own texts, exactly as sent: their signatures are over texts, not over values. */
  readonly items: readonly string[]
}

/** @throws AlvariumError `MESSAGE_MALFORMED` */
export function readMessage(message: Uint8Array): ReadMessage {
  const envelope = envelopeOf(message)
  const { dialect } = envelope
  if (dialect) return readList(envelope, dialect)
  const expected = 'an AnnotationList of the Go, Java, Rust or Python SDK (verifyMessage reads bundles)'
  throw malformed('messageType', expected, shown(envelope.messageType))
}

/**
 * The same of a message that may be another: `undefined` when it does not say that it is classic. Its type alone decides, so
 * that each message has one reading.
 *
 * @throws AlvariumError `MESSAGE_MALFORMED` when it says so, and is not
 */
export function readIfClassic(message: Uint8Array): ReadMessage | undefined {
  let envelope: Envelope
  try {
    envelope = envelopeOf(message)
  } catch (error) {
    if (isVerdict(error)) return undefined
    throw error
  }
  const { dialect } = envelope
  return dialect && readList(envelope, dialect)
}

const ANNOUNCED = ['broadcast', 'end-stream']

/**
 * Whether it is what Go's SDK says of its Hedera topics on a topic of MQTT's, when it connects and when it closes: nothing about a
 * payload, and nobody signed it.
 */
export function isAnnouncement(message: Uint8Array): boolean {
  try {
    const { action, messageType, content } = envelopeOf(message)
    return messageType === 'string' && ANNOUNCED.includes(String(action)) && typeof content === 'string'
  } catch (error) {
    if (isVerdict(error)) return false
    throw error
  }
}

interface Envelope {
  readonly text: string
  readonly action: unknown
  readonly messageType: unknown
  readonly content: unknown
  readonly dialect: Dialect | undefined
}

function envelopeOf(message: Uint8Array): Envelope {
  assertBytes(message, 'message')
  if (message.length > Longest.Message) {
    throw malformed('message', `at most ${Longest.Message} bytes`, `${message.length}`)
  }
  const text = decodedUtf8(message, 'message')
  const { action, messageType, content } = readEnvelope(text)
  const dialect = typeof messageType === 'string' ? dialectOf(messageType) : undefined
  return { text, action, messageType, content, dialect }
}

function readList({ text, action, content }: Envelope, dialect: Dialect): ReadMessage {
  const known = ACTIONS.find((name) => name === action)
  if (!known) throw malformed('action', 'create, mutate, transit or publish', shown(action))
  const items = itemsOf(readContent(content), dialect)
  assertNoneTwice(text)
  return { action: known, dialect, items }
}

/** Nobody signed the envelope, so any JSON will do: it may have been stored and written again. */
function readEnvelope(text: string): Record<string, unknown> {
  const value = parsed(text)
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  const names = isObject ? Object.keys(value).sort().join() : undefined
  if (names === 'action,content,messageType') return value as Record<string, unknown>
  throw malformed('message', 'an object of action, messageType and content', shown(names ?? value))
}

/** Three names and three texts, none of which needs a quotation mark inside, have twelve of them around. */
function assertNoneTwice(text: string): void {
  if (text.split('"', 14).length !== 13) throw malformed('message', 'each member once', 'one of them twice')
}

/** Quotation marks, commas, lists and objects: a classic message has fifteen. */
const MOST_MARKS = 10_000

/** @throws AlvariumError `MESSAGE_MALFORMED`, also for what would take many times as long to parse as any classic message */
function parsed(text: string): unknown {
  if (text.split(/["[{,]/, MOST_MARKS + 1).length > MOST_MARKS) {
    throw malformed('message', 'an object of action, messageType and content', 'more')
  }
  try {
    return JSON.parse(text)
  } catch (error) {
    // An exhausted stack, which deep nesting leads to, is the sender's fault as well.
    throw malformed('message', 'JSON', textOf(error))
  }
}

function readContent(content: unknown): string {
  const bytes = typeof content === 'string' ? fromBase64(content) : undefined
  if (bytes) return decodedUtf8(bytes, 'content')
  throw malformed('content', 'padded standard base64', shown(content))
}

function decodedUtf8(bytes: Uint8Array, field: string): string {
  try {
    return exactText(bytes)
  } catch {
    throw malformed(field, 'UTF-8', 'other bytes')
  }
}

/** The annotations' texts out of `{"items":[…]}`. They are flat: whatever nests ends early, and is refused. */
function itemsOf(list: string, { comma, colon, omitsEmpty }: Dialect): string[] {
  const [begin, end] = [`{"items"${colon}[`, ']}']
  if (list === begin + end || (omitsEmpty && list === '{}')) return []
  if (!list.startsWith(begin)) throw malformed('content', `a text that begins ${begin}`, shown(list))
  const items: string[] = []
  for (let at = begin.length; ; at += comma.length) {
    const itemEnd = objectEnd(list, at)
    items.push(list.slice(at, itemEnd))
    if (items.length > Most.Annotations) throw malformed('items', `at most ${Most.Annotations}`, 'more')
    at = itemEnd
    if (list.slice(at) === end) return items
    if (!list.startsWith(comma, at))
      throw malformed('items', 'flat objects with commas between', shown(list.slice(at)))
  }
}

/** Where the object that begins at `at` ends, or the text. */
function objectEnd(text: string, at: number): number {
  if (text[at] !== '{') throw malformed('items', 'flat objects with commas between', shown(text.slice(at)))
  for (let here = at + 1; here < text.length; here++) {
    if (text[here] === '}') return here + 1
    if (text[here] === '"') here = stringEnd(text, here) - 1
  }
  return text.length
}
