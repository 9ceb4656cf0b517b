import { isBytes } from '../base/errors.js'
import { ignoreRejection } from '../base/time/promises.js'
import { TOO_LATE, within } from '../base/time/timeout.js'

/** A message; or with the time at which it was received, as a `Date` or in milliseconds since 1970, which a trust policy judges by. */
export type Message =
  | Uint8Array
  | { readonly message: Uint8Array; readonly receivedAt?: Date | number | undefined }

/** Messages that are stored together: so many, or those that come within so many milliseconds of the first. */
export const TOGETHER = { count: 1_000, ms: 50, bytes: 4 * 1024 * 1024 }

/** What comes of a source, in groups. The source is asked for the next message when there is room for it. */
export async function* grouped(
  source: Iterable<Message> | AsyncIterable<Message>,
): AsyncGenerator<Message[]> {
  if (Symbol.asyncIterator in source) yield* groupedAsync(source[Symbol.asyncIterator]())
  else yield* groupedSync(source)
}

async function* groupedSync(source: Iterable<Message>): AsyncGenerator<Message[]> {
  let group = new Group()
  for (const one of source) {
    if (!group.add(one)) continue
    yield group.messages
    group = new Group()
  }
  if (group.messages.length > 0) yield group.messages
}

async function* groupedAsync(source: AsyncIterator<Message>): AsyncGenerator<Message[]> {
  let asked: Promise<IteratorResult<Message>> | undefined
  let isOver = false
  try {
    while (!isOver) {
      const group = new Group()
      for (;;) {
        asked ??= Promise.resolve(source.next())
        const next = await (group.messages.length === 0 ? asked : within(asked, group.leftMs))
        if (next === TOO_LATE) break
        asked = undefined
        isOver = next.done === true
        if (isOver || group.add(next.value)) break
      }
      if (group.messages.length > 0) yield group.messages
    }
  } finally {
    // Not awaited: a generator returns behind the message that was asked for, which may never come.
    if (!isOver) ignoreRejection(source.return?.())
  }
}

class Group {
  readonly messages: Message[] = []
  #bytes = 0
  #until = 0

  get leftMs(): number {
    return Math.max(0, this.#until - performance.now())
  }

  /** Whether it is full now. */
  add(one: Message): boolean {
    if (this.messages.length === 0) this.#until = performance.now() + TOGETHER.ms
    this.messages.push(one)
    this.#bytes += (isBytes(one) ? one : one.message)?.length ?? 0
    return this.messages.length >= TOGETHER.count || this.#bytes >= TOGETHER.bytes || this.leftMs === 0
  }
}
