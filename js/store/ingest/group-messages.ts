import { assertBytes, describe } from '../../foundation/base/errors.js'
import { ignoreRejection } from '../../foundation/base/time/promises.js'
import { TOO_LATE, within } from '../../foundation/base/time/timeout.js'
import { receivedMs } from '../../signing/keys/trust-policy.js'
import type { ReceivedMessage } from './message-ids.js'

/** A message, or a message with its time of receipt (a `Date`, or milliseconds since 1970). */
export type Message =
  | Uint8Array
  | { readonly message: Uint8Array; readonly receivedAt?: Date | number | undefined }

/** Limits of a group: messages, milliseconds since the first message, and bytes. */
export const GROUP_LIMITS = { count: 1_000, ms: 50, bytes: 4 * 1024 * 1024 }

/**
 * Groups the messages of a source. Requests the next message when the group has room for it.
 *
 * @throws errors of the source, and TypeError for a value that is not a message. The messages before the
 * error are yielded first, because a source may not repeat them
 */
export async function* groupMessages(
  source: Iterable<Message> | AsyncIterable<Message>,
): AsyncGenerator<ReceivedMessage[]> {
  const group = new MessageGroup()
  try {
    if (Symbol.asyncIterator in source) yield* groupAsync(source[Symbol.asyncIterator](), group)
    else yield* groupSync(source, group)
  } catch (error) {
    yield* group.takeAll()
    throw error
  }
  yield* group.takeAll()
}

function* groupSync(source: Iterable<Message>, group: MessageGroup): Generator<ReceivedMessage[]> {
  for (const one of source) if (group.add(one)) yield* group.takeAll()
}

async function* groupAsync(
  source: AsyncIterator<Message>,
  group: MessageGroup,
): AsyncGenerator<ReceivedMessage[]> {
  let arrival: Promise<IteratorResult<Message>> | undefined
  let isOver = false
  try {
    for (;;) {
      arrival ??= Promise.resolve(source.next())
      const next = await (group.isEmpty ? arrival : within(arrival, group.leftMs))
      if (next !== TOO_LATE) {
        arrival = undefined
        isOver = next.done === true
        if (isOver) return
        if (!group.add(next.value)) continue
      }
      yield* group.takeAll()
    }
  } finally {
    // Do not await: an async generator handles `return` only after its next message, which may never come.
    if (!isOver) ignoreRejection(source.return?.())
  }
}

class MessageGroup {
  #messages: ReceivedMessage[] = []
  #count = 0
  #bytes = 0
  #until = 0

  get isEmpty(): boolean {
    return this.#messages.length === 0
  }

  get leftMs(): number {
    return Math.max(0, this.#until - performance.now())
  }

  /** Adds a message. @returns true if the group is full now @throws TypeError naming a value that is not a message */
  add(one: Message): boolean {
    const evidence = readMessage(one, this.#count++)
    if (this.isEmpty) this.#until = performance.now() + GROUP_LIMITS.ms
    this.#messages.push(evidence)
    this.#bytes += evidence.message.length
    return (
      this.#messages.length >= GROUP_LIMITS.count || this.#bytes >= GROUP_LIMITS.bytes || this.leftMs === 0
    )
  }

  /** Yields the messages of the group, if there are any, and starts a new group. */
  *takeAll(): Generator<ReceivedMessage[]> {
    const messages = this.#messages
    this.#messages = []
    this.#bytes = 0
    if (messages.length > 0) yield messages
  }
}

/** @throws TypeError naming a value that is not a message */
function readMessage(given: Message, at: number): ReceivedMessage {
  const isObject = typeof given === 'object' && given !== null && 'message' in given
  const { message, receivedAt } = isObject ? given : { message: given, receivedAt: undefined }
  if (!isObject && typeof given === 'string') {
    throw new TypeError(`messages[${at}]: expected a Uint8Array, got ${describe(given)}`)
  }
  assertBytes(message, `messages[${at}]`)
  return { message, receivedAt: receivedMs(receivedAt, `messages[${at}].receivedAt`) }
}
