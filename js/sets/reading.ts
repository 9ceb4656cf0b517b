import * as v from 'valibot'
import { fromBase64 } from '../base/bytes/base64.js'
import { AlvariumError, assertBytes, expected, malformed, textOf } from '../base/errors.js'
import { digits, readOptions, strict, wholeNumber } from '../base/options/schema.js'
import { excessSteps } from '../base/text/excess.js'
import { exactText, withoutLineEnd } from '../base/text/text.js'
import { atOnce } from '../base/time/steps.js'
import { HASH_BYTES } from '../core/hashed.js'

// What messages about sets have in common: JSON with one spelling, bounded before it is read.

const utf8 = new TextEncoder()

/** Of SHA-256. */
export const hash = digits(2 * HASH_BYTES)

/** How many, or which one. */
export const count = wholeNumber(0, 'a whole number from 0 to 9007199254740991')

/** A message of one of the types of this room. */
export interface MessageKind<Content extends v.GenericSchema> {
  readonly type: string
  readonly content: Content
  /** In bytes. */
  readonly longest: number
  /** What it is called in errors. */
  readonly name: string
}

/**
 * Returns the content of a message. It has one spelling: nothing twice, nothing unknown, nothing that another reader could take for something else.
 * One line end behind it is that of its file.
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
    // What no message of these has would take half a second to parse.
    const excess = atOnce(excessSteps(written))
    if (excess !== undefined) throw malformed(name, excess, 'more')
    const read = readOptions(schema, JSON.parse(written), name)
    // What nests very deep ends the stack where it is written, and not where it is read.
    if (JSON.stringify(read) === written) return read.content
    throw malformed(name, 'its members once, in order and without white space', 'another spelling')
  })
}

/** The bytes of a message. @param content - its members in the order of its type */
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

/** A tree of 2^53 leaves has so many levels, and a run at most two siblings on each: 106 hashes of 32 bytes, in base64. */
const LONGEST_PATH = 4524
const PATH = `at most ${LONGEST_PATH} characters of base64, of hashes of ${HASH_BYTES} bytes`
/** Hashes one behind the other, as base64. */
export const path = v.pipe(
  v.string(PATH),
  v.maxLength(LONGEST_PATH, PATH),
  v.check((given) => (fromBase64(given)?.length ?? 1) % HASH_BYTES === 0, PATH),
)
