import * as v from 'valibot'
import { AlvariumError, assertBytes, expected, malformed, textOf } from '../errors.js'
import { excessSteps } from '../text/excess.js'
import { exactText, withoutLineEnd } from '../text/text.js'
import { atOnce } from '../time/steps.js'
import { readOptions, strict } from './schema.js'

// Messages of JSON with one spelling, bounded before they are read.

const utf8 = new TextEncoder()

/** A type of messages. */
export interface MessageKind<Content extends v.GenericSchema> {
  readonly type: string
  readonly content: Content
  /** In bytes. */
  readonly longest: number
  /** Name in errors. */
  readonly name: string
}

/**
 * Returns the content of a message. It has one spelling: nothing twice, nothing unknown, nothing that another reader could take for
 * something else. One line end behind it is that of its file.
 *
 * @throws TypeError when it is no `Uint8Array`
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
    // Excess that no such message has would take half a second to parse.
    const excess = atOnce(excessSteps(written))
    if (excess !== undefined) throw malformed(name, excess, 'more')
    const read = readOptions(schema, JSON.parse(written), name)
    // A value that nests very deep ends the stack where it is written, and not where it is read.
    if (JSON.stringify(read) === written) return read.content
    throw malformed(name, 'its members once, in order and without white space', 'another spelling')
  })
}

/** Makes the bytes of a message. @param content - its members in the order of its type */
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
