import { createReadStream } from 'node:fs'
import { textOf } from '../../base/errors.js'
import { invalid } from '../fault.js'
import type { Input } from '../session.js'
import { filesIn } from './files.js'

/** Where messages or payloads come from. */
export interface Source {
  /** What people call it. */
  readonly name: string
  /** Whether it is one message, which has no line to be found at. */
  readonly isAlone?: true
  /** Its bytes, in pieces: never all of them at once. */
  bytes(): AsyncIterable<Uint8Array>
}

/**
 * What an argument means: a file, `-` for what is piped in, or a message itself, which begins as no file's name should.
 *
 * @throws AlvariumError `CONFIG_INVALID` when nothing is piped in
 */
export function sourceOf(argument: string, input: Input): Source {
  if (isMessage(argument)) return { name: 'message', isAlone: true, bytes: () => itself(argument) }
  if (argument !== '-') return fileSource(argument)
  if (input.isTTY) {
    throw invalid('source', 'a file, or something piped in', 'a terminal (--help has examples)')
  }
  return { name: 'stdin', bytes: () => input }
}

/**
 * The same, and every file of a folder.
 *
 * @throws AlvariumError `CONFIG_INVALID` when nothing is piped in, or something is not there
 */
export async function* sourcesOf(argument: string, input: Input): AsyncGenerator<Source, void> {
  if (argument === '-' || isMessage(argument)) yield sourceOf(argument, input)
  else for await (const { path } of filesIn([argument])) yield fileSource(path)
}

const isMessage = (argument: string) => /^\s*[{[]/.test(argument)

/** A file, that may have any name. */
export function fileSource(path: string): Source {
  return { name: path, bytes: () => inFile(path) }
}

async function* itself(text: string): AsyncGenerator<Uint8Array, void> {
  yield new TextEncoder().encode(text)
}

async function* inFile(path: string): AsyncGenerator<Uint8Array, void> {
  try {
    yield* createReadStream(path, { highWaterMark: 256 * 1024 })
  } catch (error) {
    throw invalid('source', 'a file that can be read', textOf(error))
  }
}

/** A payload has to be had at once to be hashed. */
const LONGEST_WHOLE = 1024 * 1024 * 1024

/**
 * All of a source that is one payload.
 *
 * @throws AlvariumError `CONFIG_INVALID` when it is longer than 1 GiB
 */
export async function allOf(source: Source): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of source.bytes()) {
    length += piece.length
    if (length > LONGEST_WHOLE) throw invalid(source.name, `at most ${LONGEST_WHOLE} bytes`, 'more')
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}
