import { createReadStream } from 'node:fs'
import { invalid } from '../fault.js'
import type { Input } from '../session.js'
import { filesIn, Unreadable, unreadable } from './files.js'

/** Where messages or payloads come from. */
export interface InputSource {
  /** What people call it. */
  readonly name: string
  /** Whether it is one message, which has no line to be found at. */
  readonly isAlone?: true
  /** How many bytes it has, of a file: of a device none. */
  readonly size?: number
  /** Its bytes, in pieces: never all of them at once. */
  bytes(): AsyncIterable<Uint8Array>
}

/**
 * What an argument means: a file, `-` for what is piped in, or a message itself, which begins as no file's name should.
 *
 * @throws AlvariumError `CONFIG_INVALID` when nothing is piped in
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
 * The same, and every file of a folder; in the place of what cannot be read stands why.
 *
 * @throws AlvariumError `CONFIG_INVALID` when nothing is piped in
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

/** A file, that may have any name. @param interrupted - ends it */
export function fileSource(path: string, interrupted?: AbortSignal): InputSource {
  return { name: path, bytes: () => until(inFile(path), interrupted) }
}

/** Counts the bytes of a source while they are read. */
export function countBytes(source: InputSource, addBytes: (bytes: number) => void): InputSource {
  return {
    ...source,
    async *bytes() {
      for await (const piece of source.bytes()) {
        addBytes(piece.length)
        yield piece
      }
    },
  }
}

/** Pieces until there are no more or it is interrupted, also while one is waited for. */
async function* until(
  pieces: AsyncGenerator<Uint8Array, void>,
  interrupted: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void> {
  if (!interrupted) return yield* pieces
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
    // An open that is still pending cannot be awaited.
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

/** Longer payloads that are a whole file are hashed while they are read. */
export const LONGEST_KEPT = 16 * 1024 * 1024
/** Longest payload that must be in memory as a whole. */
const LONGEST_WHOLE = 1024 * 1024 * 1024

/**
 * All of a source that is one payload.
 *
 * @throws AlvariumError `CONFIG_INVALID` when it is longer than 1 GiB
 */
export async function allOf(source: InputSource): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of source.bytes()) {
    length += piece.length
    if (length > LONGEST_WHOLE) throw invalid(source.name, `at most ${LONGEST_WHOLE} bytes`, 'more')
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}
