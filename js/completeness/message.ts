import { assertBytes } from '../base/errors.js'
import { isWellFormed } from '../base/text/text.js'
import { malformed } from './fault.js'

/** What the message of a checkpoint says that it is. */
export const MESSAGE_TYPE = 'alvarium.Checkpoint/1'
/** FORMAT.md, Limits: in bytes. */
const LONGEST = 2 * 1024 * 1024
/** What a note may not have in it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: C2SP signed-note names these
const CONTROL = /[\0-\x09\x0b-\x1f]/
const START = `{"messageType":"${MESSAGE_TYPE}","content":"`

/** The message that carries a note. */
export function messageOfNote(note: string): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ messageType: MESSAGE_TYPE, content: note }))
}

/**
 * Whether a message is a checkpoint, and no bundle: by its first bytes alone. Nothing is verified.
 *
 * @param message - as it was received
 *
 * @example
 * ```ts
 * import { isCheckpoint } from 'alvarium-sdk/completeness'
 *
 * const what = isCheckpoint(message) ? 'a checkpoint' : 'a message with bundles'
 * ```
 */
export function isCheckpoint(message: Uint8Array): boolean {
  const begin = beginOf(message)
  const head = message.subarray(begin, begin + START.length)
  return new TextDecoder().decode(head) === START
}

/**
 * The note of a message, in which nothing but white space around it may be written in another way.
 *
 * @throws AlvariumError `MESSAGE_MALFORMED`
 */
export function noteOfMessage(message: Uint8Array): string {
  assertBytes(message, 'message')
  if (message.length > LONGEST) throw malformed('message', `at most ${LONGEST} bytes`, `${message.length}`)
  const text = decoded(message)
  if (!text.startsWith(START)) throw malformed('message', `JSON that begins with ${START}`, 'another')
  const content = contentIn(text)
  if (JSON.stringify({ messageType: MESSAGE_TYPE, content }) !== text) {
    throw malformed('message', 'messageType and content, in the spelling of JSON.stringify', 'another')
  }
  if (!isWellFormed(content) || CONTROL.test(content)) {
    throw malformed('content', 'text without control characters', 'some')
  }
  return content
}

function contentIn(text: string): string {
  try {
    return (JSON.parse(text) as { content: string }).content
  } catch (cause) {
    throw malformed('message', 'JSON', 'something else', cause)
  }
}

function decoded(message: Uint8Array): string {
  const begin = beginOf(message)
  let end = message.length
  while (end > begin && isWhite(message[end - 1])) end--
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(message.subarray(begin, end))
  } catch (cause) {
    throw malformed('message', 'UTF-8', 'other bytes', cause)
  }
}

/** Where what is not white space begins. */
function beginOf(message: Uint8Array): number {
  let begin = 0
  while (isWhite(message[begin])) begin++
  return begin
}

/** RFC 8259 §2. */
function isWhite(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d
}
