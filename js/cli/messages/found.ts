import { AlvariumError } from '../../foundation/base/errors.js'
import { Unreadable } from '../input/files.js'

/** A message of a source. */
export interface FoundMessage {
  /** Place of the message in its source, for people. */
  readonly place: string
  /** JSON message; or the error `MESSAGE_MALFORMED` if it cannot be read. */
  readonly message: Uint8Array | AlvariumError
  /** Time of receipt in milliseconds since 1970, if known. Messages that arrive in one batch have one time. */
  readonly receivedAt?: number | undefined
}

export type ReadableMessage = FoundMessage & { readonly message: Uint8Array }

export function isReadable(found: FoundMessage): found is ReadableMessage {
  return !(found.message instanceof AlvariumError)
}

/** Number of lines that are not messages after which a source is reported as data; a shorter source needs two. */
const TELLING = 5
const MIN_FOREIGN_LINES = 2

/** Name of a member that all messages have, of any kind and SDK. */
const MEMBER = Buffer.from('"messageType"')

/**
 * Passes on the messages of a source, unless it begins like a file of data. Users may name the payloads instead of their messages, and then need
 * one error instead of one for each line.
 *
 * @throws Unreadable
 */
export async function* lessData(
  name: string,
  messages: AsyncIterable<FoundMessage[]>,
): AsyncGenerator<FoundMessage[], void> {
  let first: FoundMessage[] | undefined = []
  for await (const some of messages) {
    if (first === undefined) {
      yield some
      continue
    }
    first = [...first, ...some]
    if (hasMessages(first)) {
      yield first
      first = undefined
    } else if (first.length >= TELLING) throw data(name)
  }
  if (first === undefined || first.length === 0) return
  if (first.length >= MIN_FOREIGN_LINES && !hasMessages(first)) throw data(name)
  yield first
}

/**
 * Returns whether a source has messages: damaged ones among its first lines, or whole ones. Any binary file has a line that begins as CBOR does.
 */
function hasMessages(found: readonly FoundMessage[]): boolean {
  return found.slice(0, TELLING).some(isMessage) || found.some((one) => isReadable(one) && isMessage(one))
}

/** Returns whether bytes were meant as a message, even if they are cut or damaged. */
export function isMessage({ message }: Pick<FoundMessage, 'message'>): boolean {
  if (message instanceof AlvariumError) return !(message instanceof NoMessage)
  return Buffer.from(message).includes(MEMBER)
}

/** Error for bytes in none of the forms of messages. */
export class NoMessage extends AlvariumError {
  constructor() {
    const expected = 'JSON, or CBOR as bytes, hexadecimal or base64'
    super('MESSAGE_MALFORMED', `message: expected ${expected}, got another format`)
  }
}

function data(name: string): Unreadable {
  const next = 'annotate it, or compare it with its messages (--payload)'
  return new Unreadable(name, 'messages', `what looks like data: ${next}`)
}
