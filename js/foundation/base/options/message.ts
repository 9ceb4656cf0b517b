import * as v from 'valibot'
import { AlvariumError, assertBytes, expected, malformed, textOf } from '../errors.js'
import { excessSteps } from '../text/scan.js'
import { exactText, withoutLineEnd } from '../text/text.js'
import { runSync } from '../time/turns.js'
import { readOptions, strict } from './schema.js'

// Reads and writes JSON messages that have only one valid spelling. Limits are checked before parsing.

/** Description of a message's only valid spelling, for error texts. */
export const CANONICAL = 'canonical JSON (each member once, in order, without white space)'

const utf8 = new TextEncoder()

export interface MessageKind<Content extends v.GenericSchema> {
  readonly type: string
  readonly content: Content
  readonly maxBytes: number
  readonly name: string
}

/**
 * Parses a message, and returns its content. It accepts only one spelling: members in their order, not repeated or
 * unknown, and without white space. It ignores one line end after the message, which belongs to the file.
 *
 * @throws TypeError when `message` is not a `Uint8Array`
 * @throws AlvariumError `MESSAGE_MALFORMED` when the message is longer than `maxBytes`, or has any other spelling
 */
export function contentOf<Content extends v.GenericSchema>(
  message: Uint8Array,
  { type, content, maxBytes, name }: MessageKind<Content>,
): v.InferOutput<Content> {
  assertBytes(message, name)
  const body = withoutLineEnd(message)
  if (body.length > maxBytes) throw malformed(name, `at most ${maxBytes} bytes`, `${body.length}`)
  const schema = strict({ messageType: v.literal(type, type), content })
  return readable(name, () => {
    const text = exactText(body)
    // Check the number of names and values before parsing, because parsing too many takes half a second.
    const excess = runSync(excessSteps(text))
    if (excess !== undefined) throw malformed(name, excess, 'more')
    const read = readOptions(schema, JSON.parse(text), name)
    // `JSON.stringify` overflows the stack for a deeply nested value. `readable` reports this as MESSAGE_MALFORMED.
    if (JSON.stringify(read) === text) return read.content
    throw malformed(name, CANONICAL, 'JSON in another form')
  })
}

/**
 * Encodes a message as JSON in UTF-8.
 *
 * @param content - content of the message, with its members in the order of the schema
 */
export function messageOf(type: string, content: object): Uint8Array {
  return utf8.encode(JSON.stringify({ messageType: type, content }))
}

function readable<T>(name: string, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    if (cause instanceof AlvariumError && cause.code !== 'CONFIG_INVALID') throw cause
    if (cause instanceof AlvariumError) throw new AlvariumError('MESSAGE_MALFORMED', cause.message)
    throw expected('MESSAGE_MALFORMED', name, 'JSON in UTF-8', undefined, textOf(cause))
  }
}
