import { assertBytes, malformed } from '../../../foundation/base/errors.js'
import { beginOf, exactText, isWellFormed, isWhite } from '../../../foundation/base/text/text.js'
import { CHECKPOINT, CHECKPOINT_START } from '../../../verifying/consume/control-messages.js'

/** Maximum length of a checkpoint message in bytes (FORMAT.md, Limits). */
const MAX_MESSAGE_BYTES = 2 * 1024 * 1024
/** Control characters, which a signed note must not contain; only line feeds are permitted. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: C2SP signed-note forbids control characters
const CONTROL = /[\0-\x09\x0b-\x1f]/

export function messageOfNote(note: string): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ messageType: CHECKPOINT, content: note }))
}

/**
 * Returns the signed note (C2SP signed-note) in a checkpoint message. Ignores white space around the message.
 *
 * @throws AlvariumError `MESSAGE_MALFORMED`
 */
export function noteOfMessage(message: Uint8Array): string {
  assertBytes(message, 'message')
  if (message.length > MAX_MESSAGE_BYTES)
    throw malformed('message', `at most ${MAX_MESSAGE_BYTES} bytes`, `${message.length}`)
  const text = decode(message)
  if (!text.startsWith(CHECKPOINT_START))
    throw malformed('message', `JSON that begins with ${CHECKPOINT_START}`, 'other text')
  const content = contentIn(text)
  if (JSON.stringify({ messageType: CHECKPOINT, content }) !== text) {
    throw malformed(
      'message',
      'messageType and content, as JSON.stringify writes them',
      'JSON in another form',
    )
  }
  if (!isWellFormed(content) || CONTROL.test(content)) {
    throw malformed('content', 'text without control characters', 'a control character')
  }
  return content
}

function contentIn(text: string): string {
  try {
    return (JSON.parse(text) as { content: string }).content
  } catch (cause) {
    throw malformed('message', 'JSON', 'other text', cause)
  }
}

function decode(message: Uint8Array): string {
  const begin = beginOf(message)
  let end = message.length
  while (end > begin && isWhite(message[end - 1])) end--
  try {
    return exactText(message.subarray(begin, end))
  } catch (cause) {
    throw malformed('message', 'UTF-8', 'other bytes', cause)
  }
}
