import { describe, expected } from '../base/errors.js'
import type { Digesting, PayloadSource } from '../model/payload.js'
import { platform } from '../platform/platform.js'
import { ofBlob } from './blob.js'
import { canFlow, flowing, type TakePiece } from './flowing.js'

/** A source while it is read. */
export interface Pieces {
  /** How many bytes it says it has. */
  readonly size: number | undefined
  /** Somebody's own may throw at once, or return no promise. */
  next(): PromiseLike<Piece>
  /** In place of `next`, where it is faster: hands over all pieces. Rejects with `PAYLOAD_INVALID`, and with what `take` throws. */
  readonly flow?: (take: TakePiece) => Promise<void>
  /** Nobody reads on. It is not waited for: a source may hang. */
  cancel(reason: unknown): void
  /** Lets go of what was read to its end. */
  end(): void
}

/** What a source has said when it was asked for its next piece. */
export interface Piece {
  readonly done?: boolean | undefined
  readonly value?: unknown
}

/** A source that is read here. */
export type ReadableSource = Exclude<PayloadSource, Digesting>

/** Streams and iterators that can be read once, and were. */
const read = new WeakSet<object>()

/**
 * Begins to read.
 *
 * @throws AlvariumError `PAYLOAD_INVALID` when it was read before: nothing is left in it, and nothing has a good hash too
 */
export function piecesOf(source: ReadableSource): Pieces {
  if ('getReader' in source) return ofStream(source)
  if ('arrayBuffer' in source)
    return platform.hostHasher ? { ...ofStream(source.stream()), size: source.size } : ofBlob(source)
  return ofIterable(source)
}

function ofStream(stream: ReadableStream<Uint8Array>): Pieces {
  assertUnread(stream, isDisturbed(stream))
  const reader = stream.getReader()
  read.add(stream)
  return {
    size: sizeOf(stream),
    next: () => reader.read(),
    cancel: (reason) => {
      void (async () => reader.cancel(reason))().catch(() => {})
      reader.releaseLock()
    },
    end: () => reader.releaseLock(),
  }
}

/** Property of Node's streams that others have read. There, Hono's server replaces `Response` by one that accepts them. */
const READ_MARK = Symbol.for('nodejs.stream.disturbed')

/** Returns whether others have read a stream. Elsewhere than in Node, the only sign is that it can be no body any more. */
function isDisturbed(stream: ReadableStream<Uint8Array>): boolean {
  if (Reflect.get(stream, READ_MARK) === true) return true
  if (typeof Response !== 'function') return stream.locked
  try {
    new Response(stream as ReadableStream<Uint8Array<ArrayBuffer>>)
    return stream.locked
  } catch {
    return true
  }
}

/** As Node's streams tell that somebody has read them. */
interface NodeStream extends AsyncIterable<Uint8Array> {
  readonly readableDidRead?: boolean
}

function ofIterable(iterable: NodeStream): Pieces {
  assertUnread(iterable, iterable.readableDidRead === true)
  const iterator = iterable[Symbol.asyncIterator]()
  if ((iterator as object) === iterable) read.add(iterable)
  return {
    size: sizeOf(iterable),
    next: () => iterator.next(),
    cancel: () => void (async () => iterator.return?.())().catch(() => {}),
    end: () => {},
    ...(canFlow(iterable) && flowing(iterable)),
  }
}

/** What a stream or an iterable of somebody's own says. */
function sizeOf(source: object & { readonly size?: unknown }): number | undefined {
  return Number.isSafeInteger(source.size) ? (source.size as number) : undefined
}

function assertUnread(source: object, wasRead: boolean): void {
  if (!wasRead && !read.has(source)) return
  const got = `${describe(source)} that was read before`
  throw expected('PAYLOAD_INVALID', 'payload', 'a source that was not read before', got)
}
