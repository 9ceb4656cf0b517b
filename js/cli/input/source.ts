import { createReadStream } from 'node:fs'
import { invalid } from '../fault.js'
import type { Input } from '../session.js'
import { filesIn, Unreadable, unreadable } from './files.js'

export interface InputSource {
  readonly name: string
  /** True if the argument itself is the message, so that reports show no line number. */
  readonly isAlone?: true
  /** Size in bytes when the file was found, 0 for a device or FIFO; undefined if it was not looked up. */
  readonly size?: number
  /** Path, for reading at any offset; undefined for standard input and for a message as an argument. */
  readonly path?: string
  /** Counts bytes that a reader has read through `path` instead of `bytes()`. */
  readonly addBytes?: (bytes: number) => void
  bytes(): AsyncIterable<Uint8Array>
}

/**
 * Returns the source for an argument: a file, `-` for standard input, or a message. A message begins with `{`
 * or `[`.
 */
export function sourceOf(argument: string, input: Input): InputSource {
  if (isMessage(argument)) return { name: 'message', isAlone: true, bytes: () => itself(argument) }
  if (argument !== '-') return fileSource(argument, input.interrupted)
  if (input.isTTY) {
    throw invalid('source', 'a file, or something piped in', 'a terminal (--help has examples)')
  }
  return { name: 'stdin', bytes: () => input }
}

/**
 * Yields the source of an argument, or one source for every file of a folder. Yields an `Unreadable` as
 * {@link filesIn} does.
 */
export async function* sourcesOf(
  argument: string,
  input: Input,
): AsyncGenerator<InputSource | Unreadable, void> {
  if (argument === '-' || isMessage(argument)) {
    yield sourceOf(argument, input)
    return
  }
  for await (const file of filesIn([argument])) {
    yield file instanceof Unreadable
      ? file
      : { ...fileSource(file.path, input.interrupted), size: file.bytes }
  }
}

const isMessage = (argument: string) => /^\s*[{[]/.test(argument)

/**
 * Returns the source for a path, even if the path looks like `-` or a message.
 *
 * @param interrupted - signal that stops the reading
 */
export function fileSource(path: string, interrupted: AbortSignal): InputSource {
  return { name: path, path, bytes: () => until(inFile(path), interrupted) }
}

export function countBytes(source: InputSource, addBytes: (bytes: number) => void): InputSource {
  return {
    ...source,
    addBytes,
    async *bytes() {
      for await (const piece of source.bytes()) {
        addBytes(piece.length)
        yield piece
      }
    },
  }
}

/** Yields pieces until the source ends or the user interrupts, even while the next piece is pending. */
async function* until(
  pieces: AsyncGenerator<Uint8Array, void>,
  interrupted: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  let stop = () => {}
  const onAbort = () => stop()
  interrupted.addEventListener('abort', onAbort)
  try {
    while (!interrupted.aborted) {
      const next = await new Promise<IteratorResult<Uint8Array> | undefined>((resolve, reject) => {
        stop = () => resolve(undefined)
        pieces.next().then(resolve, reject)
      })
      if (!next || next.done) return
      yield next.value
    }
  } finally {
    interrupted.removeEventListener('abort', onAbort)
    // Do not await `return()`, which would wait for a pending open that may never complete.
    void pieces.return().catch(() => {})
  }
}

async function* itself(text: string): AsyncGenerator<Uint8Array, void> {
  yield new TextEncoder().encode(text)
}

async function* inFile(path: string): AsyncGenerator<Uint8Array, void> {
  try {
    yield* createReadStream(path, { highWaterMark: 256 * 1024 })
  } catch (error) {
    throw unreadable(path, error)
  }
}

/** Number of bytes above which a file that is one payload is hashed while it is read. */
export const MAX_IN_MEMORY = 16 * 1024 * 1024
const MAX_WHOLE_BYTES = 1024 * 1024 * 1024

/** Reads all bytes of a source that is one payload. */
export async function allOf(source: InputSource): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of source.bytes()) {
    length += piece.length
    if (length > MAX_WHOLE_BYTES) throw invalid(source.name, `at most ${MAX_WHOLE_BYTES} bytes`, 'more')
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}
