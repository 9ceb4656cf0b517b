import { describe, expected } from '../../foundation/base/errors.js'
import type { Digesting, PayloadSource } from '../../foundation/model/payload.js'
import { platform } from '../../foundation/platform/platform.js'
import { blobPieces } from './blob.js'
import { canFlow, flowOf, type TakePiece } from './flowing.js'

export interface Pieces {
  readonly size: number | undefined
  /** Returns the next piece. A source of an application may throw synchronously, or return no promise. */
  next(): PromiseLike<Piece>
  /**
   * Passes all pieces to `take`, faster than with `next`. Rejects with `PAYLOAD_INVALID`, and with errors of `take`.
   */
  readonly flow?: (take: TakePiece) => Promise<void>
  /** Stops reading, without waiting for the source, because it may hang. */
  cancel(reason: unknown): void
  end(): void
}

export interface Piece {
  readonly done?: boolean | undefined
  readonly value?: unknown
}

/** A source that this package reads and hashes, unlike a {@link Digesting}, which hashes by itself. */
export type ReadableSource = Exclude<PayloadSource, Digesting>

/** Streams and iterators that were read, and can be read only once. */
const consumedSources = new WeakSet<object>()

/**
 * Begins to read a source.
 *
 * @throws AlvariumError `PAYLOAD_INVALID` if the source was read before, because the hash of the rest alone
 * would look valid
 */
export function piecesOf(source: ReadableSource): Pieces {
  if ('getReader' in source) return streamPieces(source)
  if ('arrayBuffer' in source)
    return platform.hostHasher ? { ...streamPieces(source.stream()), size: source.size } : blobPieces(source)
  return iterablePieces(source)
}

function streamPieces(stream: ReadableStream<Uint8Array>): Pieces {
  assertUnread(stream, isDisturbed(stream))
  const reader = stream.getReader()
  consumedSources.add(stream)
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

/**
 * Property by which Node marks streams that were read. The platform's `Response` refuses these streams as
 * bodies, but Hono's server replaces that `Response` with its own, which accepts them.
 */
const READ_MARK = Symbol.for('nodejs.stream.disturbed')

/** Returns whether a stream was read before. Outside of Node, the only sign is that `Response` refuses it as a body. */
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

/** A readable stream of Node, with the member that shows whether it was read. */
interface NodeStream extends AsyncIterable<Uint8Array> {
  readonly readableDidRead?: boolean
}

function iterablePieces(iterable: NodeStream): Pieces {
  assertUnread(iterable, iterable.readableDidRead === true)
  const iterator = iterable[Symbol.asyncIterator]()
  if ((iterator as object) === iterable) consumedSources.add(iterable)
  return {
    size: sizeOf(iterable),
    next: () => iterator.next(),
    cancel: () => void (async () => iterator.return?.())().catch(() => {}),
    end: () => {},
    ...(canFlow(iterable) && flowOf(iterable)),
  }
}

export function sizeOf(source: object & { readonly size?: unknown }): number | undefined {
  return Number.isSafeInteger(source.size) ? (source.size as number) : undefined
}

function assertUnread(source: object, wasRead: boolean): void {
  if (!wasRead && !consumedSources.has(source)) return
  const got = `${describe(source)} that was read before`
  throw expected('PAYLOAD_INVALID', 'payload', 'a source that was not read before', got)
}
