import { AlvariumError } from '../../foundation/base/errors.js'
import { Unreadable } from '../input/files.js'

export interface FoundMessage {
  readonly place: string
  /** Message as JSON bytes, or the error `MESSAGE_MALFORMED` or `FILE_UNREADABLE` if it cannot be read. */
  readonly message: Uint8Array | AlvariumError
  /** Time of receipt in milliseconds since 1970, if known. Messages read together share one time. */
  readonly receivedAt?: number | undefined
}

export type ReadableMessage = FoundMessage & { readonly message: Uint8Array }

export function isReadable(found: FoundMessage): found is ReadableMessage {
  return !(found.message instanceof AlvariumError)
}

/** Number of lines at the beginning. If none of them is a message, the source seems to contain payloads. */
const MAX_LEADING_DATA_LINES = 5
const MIN_FOREIGN_LINES = 2

/** Name of the JSON member that every message has, whatever its kind and SDK. */
const MEMBER = Buffer.from('"messageType"')

/**
 * Yields the messages of a source, unless its first lines contain none. A user who names the file of the payloads
 * instead of their messages then gets one error, not one per line.
 *
 * @throws Unreadable if the source seems to contain payloads
 */
export async function* lessData(
  name: string,
  messages: AsyncIterable<FoundMessage[]>,
): AsyncGenerator<FoundMessage[], void> {
  let first: FoundMessage[] | undefined = []
  for await (const group of messages) {
    if (first === undefined) {
      yield group
      continue
    }
    first = [...first, ...group]
    if (hasMessages(first)) {
      yield first
      first = undefined
    } else if (first.length >= MAX_LEADING_DATA_LINES) throw data(name)
  }
  if (first === undefined || first.length === 0) return
  if (first.length >= MIN_FOREIGN_LINES && !hasMessages(first)) throw data(name)
  yield first
}

/**
 * Returns whether a source contains messages: whole messages anywhere, or damaged messages among the first
 * lines. Damaged messages in later lines do not count, because any binary file may contain a line that begins like
 * CBOR.
 */
function hasMessages(found: readonly FoundMessage[]): boolean {
  return (
    found.slice(0, MAX_LEADING_DATA_LINES).some(isMessage) ||
    found.some((one) => isReadable(one) && isMessage(one))
  )
}

export function isMessage({ message }: Pick<FoundMessage, 'message'>): boolean {
  if (message instanceof AlvariumError) return !(message instanceof NoMessage)
  return Buffer.from(message).includes(MEMBER)
}

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
