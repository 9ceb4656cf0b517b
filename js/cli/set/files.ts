import { existsSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { type KeyList, openKeyList } from 'alvarium-sdk/sets'
import { toBytes } from '../../base/bytes/hex.js'
import { AlvariumError, textOf } from '../../base/errors.js'
import { outcomeOfCode } from '../../model/outcome.js'
import { flushName } from '../../streams/flush-name.js'
import { invalid, named } from '../fault.js'
import { unreadable } from '../input/files.js'
import { fileSource } from '../input/source.js'
import { textIn } from '../input/text.js'
import { type ExitCode, exitOf, type Session } from '../session.js'
import { MARKS } from '../terminal/outcome.js'
import { showWaiting } from '../terminal/progress.js'
import { shown } from '../terminal/shown.js'

/** FORMAT.md, Limits: an update is the longest message about sets. */
const LONGEST_MESSAGE = 2_097_152
/** Each takes 36 bytes of memory. */
const MOST_KEYS = 2 ** 32

/** Returns a message about a set, out of a file. */
export function messageIn(path: string, session: Session): Promise<Uint8Array> {
  // With its line end.
  return bytesOf(path, session, LONGEST_MESSAGE + 2)
}

/**
 * What is piped in can be read once.
 *
 * @param given - what reads it if its path is `-`
 * @throws AlvariumError `CONFIG_INVALID` naming two that would
 */
export function assertReadOnce(given: Readonly<Record<string, string | undefined>>): void {
  const [first, second] = Object.keys(given).filter((name) => given[name] === '-')
  if (second === undefined) return
  const shown = first?.startsWith('-') ? first : `<${first}>`
  throw invalid(second, `a file, as ${shown} is read from standard input`, '-')
}

async function bytesOf(path: string, session: Session, most: number): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of piecesOf(path, session)) {
    pieces.push(piece)
    length += piece.length
    if (length > most) break
  }
  return Buffer.concat(pieces)
}

/** @throws AlvariumError `CONFIG_INVALID` when nothing is piped in, or nothing can be read */
export function piecesOf(path: string, { input }: Session): AsyncIterable<Uint8Array> {
  if (path === '-' && input.isTTY) throw invalid('source', 'a file, or something piped in', 'a terminal')
  return readable(path, path === '-' ? input : fileSource(path, input.interrupted).bytes())
}

/**
 * Runs what makes something of a list: one that is not in order does not hold, and nothing is made of it.
 *
 * @returns the exit code
 */
export async function ofLists(make: () => Promise<ExitCode>, session: Session): Promise<ExitCode> {
  try {
    return await showWaiting(session, 'reading', make)
  } catch (error) {
    const outcome = error instanceof AlvariumError ? outcomeOfCode(error.code) : 'cannot tell'
    if (!(error instanceof AlvariumError) || outcome === 'cannot tell') throw error
    await session.err.line(shown`${MARKS[outcome]} ${outcome}: ${error.message}`)
    return exitOf(outcome)
  }
}

/** The list of a set. */
export async function listIn(
  path: string,
  salt: Uint8Array | undefined,
  { input }: Session,
  maxKeys = MOST_KEYS,
): Promise<KeyList> {
  const pieces = fileSource(path, input.interrupted).bytes()
  return openKeyList(readable(path, pieces), { salt, maxKeys })
}

async function* readable(path: string, pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  try {
    yield* pieces
  } catch (error) {
    throw error instanceof AlvariumError ? error : unreadable(named(path), error)
  }
}

/** @throws AlvariumError `CONFIG_INVALID` */
export async function saltIn(path: string | undefined): Promise<Uint8Array | undefined> {
  if (path === undefined) return undefined
  const text = await textIn('--salt', path)
  const salt = toBytes(text.trim())
  if (salt?.length === 32) return salt
  throw invalid('--salt', 'a file with 64 hexadecimal digits', 'another text')
}

/** Before anything long is begun. */
export function assertFree(option: string, path: string | undefined): void {
  if (path === undefined || !existsSync(path)) return
  throw invalid(option, 'a new file', `${named(path)}, which already exists: choose another name`)
}

/** Writes a new file, whole or not at all: not what was cut off by Ctrl-C either. */
export async function writeNew(
  option: string,
  path: string,
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  { begin, interrupted }: Pick<Session, 'begin' | 'interrupted'>,
): Promise<void> {
  begin()
  const file = await open(path, 'wx').catch((error) => {
    throw invalid(option, 'a new file that can be written', `${named(path)}: ${textOf(error)}`)
  })
  try {
    for await (const piece of pieces) {
      await file.writeFile(piece)
      interrupted.throwIfAborted()
    }
    await file.sync()
    await flushName(path)
    // What is read ends then, and looks whole.
    interrupted.throwIfAborted()
  } catch (error) {
    await rm(path, { force: true })
    // What was to be written could not be made.
    if (error instanceof AlvariumError) throw error
    throw invalid(option, 'a disk with space for it', textOf(error))
  } finally {
    await file.close()
  }
}

const NEWLINE = Uint8Array.of(0x0a)

/** A message to a new file, or to standard output. */
export async function writeMessage(
  message: Uint8Array,
  out: string | undefined,
  session: Session,
): Promise<void> {
  if (out === undefined) await session.out.write(Buffer.concat([message, NEWLINE]))
  else await writeNew('--out', out, [message, NEWLINE], session)
}
