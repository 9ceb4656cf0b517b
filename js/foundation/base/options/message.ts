import * as v from 'valibot'
import { AlvariumError, assertBytes, expected, malformed, textOf } from '../errors.js'
import { excessSteps } from '../text/scan.js'
import { exactText, withoutLineEnd } from '../text/text.js'
import { runSync } from '../time/turns.js'
import { readOptions, strict } from './schema.js'

// JSON messages with only one spelling, which are bounded before they are parsed.

const utf8 = new TextEncoder()

/** Type of messages. */
export interface MessageKind<Content extends v.GenericSchema> {
  readonly type: string
  readonly content: Content
  /** Maximum length in bytes. */
  readonly longest: number
  /** Name in errors. */
  readonly name: string
}

/**
 * Returns the content of a message. Only one spelling is accepted: no repeated or unknown members, and
 * nothing that another reader could read as something else. One line end after the message belongs to its
 * file, and is ignored.
 *
 * @throws TypeError when it is not a `Uint8Array`
 * @throws AlvariumError `MESSAGE_MALFORMED`
 */
export function contentOf<Content extends v.GenericSchema>(
  message: Uint8Array,
  { type, content, longest, name }: MessageKind<Content>,
): v.InferOutput<Content> {
  assertBytes(message, name)
  const body = withoutLineEnd(message)
  if (body.length > longest) throw malformed(name, `at most ${longest} bytes`, `${body.length}`)
  const schema = strict({ messageType: v.literal(type, type), content })
  return readable(name, () => {
    const written = exactText(body)
    // Check the number of names and values first: parsing too many of them would take half a second.
    const excess = runSync(excessSteps(written))
    if (excess !== undefined) throw malformed(name, excess, 'more')
    const read = readOptions(schema, JSON.parse(written), name)
    // A deeply nested value overflows the stack in `JSON.stringify`, not in `JSON.parse`.
    if (JSON.stringify(read) === written) return read.content
    throw malformed(name, 'its members once, in order and without white space', 'another spelling')
  })
}

/**
 * Encodes a message.
 *
 * @param content - members in the order of the type
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
