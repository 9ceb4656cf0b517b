import { AlvariumError } from '../../base/errors.js'
import { Unreadable } from '../input/files.js'

/** A message out of a source. */
export interface FoundMessage {
  /** Where it was, for people. */
  readonly place: string
  /** The JSON message; or why there is none, which is `MESSAGE_MALFORMED`. */
  readonly message: Uint8Array | AlvariumError
  /** When it came, in milliseconds since 1970, where that is known: those that came together have one time. */
  readonly receivedAt?: number | undefined
}

/** A message that could be read. */
export type ReadableMessage = FoundMessage & { readonly message: Uint8Array }

export function isReadable(found: FoundMessage): found is ReadableMessage {
  return !(found.message instanceof AlvariumError)
}

/** Number of lines that are not messages after which a source is reported as data; a shorter source needs two. */
const TELLING = 5
const FEWEST = 2

/** What every message has, of whatever kind and SDK. */
const MEMBER = Buffer.from('"messageType"')

/**
 * The messages of a source, unless it begins as a file of data does: somebody has taken the payloads for the messages about them,
 * and does not want to read of each that it is none.
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
  if (first.length >= FEWEST && !hasMessages(first)) throw data(name)
  yield first
}

/** Returns whether a source has messages: damaged ones among its first lines, or whole ones. Any binary file has a line that begins as CBOR does. */
function hasMessages(found: readonly FoundMessage[]): boolean {
  return found.slice(0, TELLING).some(isMessage) || found.some((one) => isReadable(one) && isMessage(one))
}

/** Returns whether it was meant to be a message, however it was cut or bent. */
export function isMessage({ message }: Pick<FoundMessage, 'message'>): boolean {
  if (message instanceof AlvariumError) return !(message instanceof NoMessage)
  return Buffer.from(message).includes(MEMBER)
}

/** Of something that is in none of the forms that messages have. */
export class NoMessage extends AlvariumError {
  constructor() {
    const expected = 'JSON, or CBOR as bytes, hexadecimal or base64'
    super('MESSAGE_MALFORMED', `message: expected ${expected}, got something else`)
  }
}

function data(name: string): Unreadable {
  const next = 'annotate it, or compare it with its messages (--payload)'
  return new Unreadable(name, 'messages', `what looks like data: ${next}`)
}
