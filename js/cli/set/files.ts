import { existsSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { type KeyList, openKeyList } from 'alvarium-sdk/sets'
import { toBytes } from '../../foundation/base/bytes/hex.js'
import { AlvariumError, textOf } from '../../foundation/base/errors.js'
import { type Judged, outcomeOfCode } from '../../foundation/model/outcome.js'
import { flushParentFolder } from '../../transport/streams/flush-name.js'
import { invalid, pathText } from '../fault.js'
import { unreadable } from '../input/files.js'
import { fileSource } from '../input/source.js'
import { textIn } from '../input/text.js'
import { type ExitCode, exitOf, type Session } from '../session.js'
import { MARKS } from '../terminal/outcome.js'
import { showWaiting } from '../terminal/progress.js'
import { safeText } from '../terminal/safe-text.js'

/** Maximum length in bytes of a message about sets. Updates are the longest (FORMAT.md, Limits). */
const MAX_MESSAGE_BYTES = 2_097_152
/** Maximum number of payload keys in a list. Each key needs 36 bytes of memory. */
const MAX_KEYS = 2 ** 32

export function messageIn(path: string, session: Session): Promise<Uint8Array> {
  // Allow two more bytes for a line end.
  return bytesOf(path, session, MAX_MESSAGE_BYTES + 2)
}

/**
 * Refuses to read standard input twice.
 *
 * @param given - paths by argument name; `-` is standard input
 */
export function assertReadOnce(given: Readonly<Record<string, string | undefined>>): void {
  const [first, second] = Object.keys(given).filter((name) => given[name] === '-')
  if (second === undefined) return
  const shown = first?.startsWith('-') ? first : `<${first}>`
  throw invalid(second, 'a file', `-, although ${shown} is read from standard input`)
}

async function bytesOf(path: string, session: Session, maxBytes: number): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of piecesOf(path, session)) {
    pieces.push(piece)
    length += piece.length
    if (length > maxBytes) break
  }
  return Buffer.concat(pieces)
}

export function piecesOf(path: string, { input }: Session): AsyncIterable<Uint8Array> {
  if (path === '-' && input.isTTY) throw invalid('source', 'a file, or something piped in', 'a terminal')
  return readable(path, path === '-' ? input : fileSource(path, input.interrupted).bytes())
}

/**
 * Runs a function that reads lists of sets. For an invalid list, such as an unsorted one, prints "does not hold".
 *
 * @returns the exit code
 */
export async function runWithLists(make: () => Promise<ExitCode>, session: Session): Promise<ExitCode> {
  try {
    return await showWaiting(session, 'reading', make)
  } catch (error) {
    const outcome = error instanceof AlvariumError ? outcomeOfCode(error.code) : 'cannot tell'
    if (!(error instanceof AlvariumError) || outcome === 'cannot tell') throw error
    return reportOutcome({ outcome, says: error.message }, session)
  }
}

/** Prints an outcome. @returns its exit code */
export async function reportOutcome({ outcome, says }: Judged, { err }: Session): Promise<ExitCode> {
  await err.line(safeText`${MARKS[outcome]} ${outcome}: ${says}`)
  return exitOf(outcome)
}

export async function listIn(
  path: string,
  salt: Uint8Array | undefined,
  { input }: Session,
  maxKeys = MAX_KEYS,
): Promise<KeyList> {
  const pieces = fileSource(path, input.interrupted).bytes()
  return openKeyList(readable(path, pieces), { salt, maxKeys })
}

async function* readable(path: string, pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  try {
    yield* pieces
  } catch (error) {
    throw error instanceof AlvariumError ? error : unreadable(pathText(path), error)
  }
}

export async function saltIn(path: string | undefined): Promise<Uint8Array | undefined> {
  if (path === undefined) return undefined
  const text = await textIn('--salt', path)
  const salt = toBytes(text.trim())
  if (salt?.length === 32) return salt
  throw invalid('--salt', 'a file with 64 hexadecimal digits', 'another text')
}

/** Refuses an existing output file before a long calculation starts. */
export function assertFree(option: string, path: string | undefined): void {
  if (path === undefined || !existsSync(path)) return
  throw invalid(option, 'a new file', `${pathText(path)}, which already exists: choose another name`)
}

/** Writes a new file completely. Removes it after an error or interruption. */
export async function writeNew(
  option: string,
  path: string,
  pieces: Iterable<Uint8Array | string> | AsyncIterable<Uint8Array>,
  { begin, interrupted }: Pick<Session, 'begin' | 'interrupted'>,
): Promise<void> {
  begin()
  const file = await open(path, 'wx').catch((error) => {
    throw invalid(option, 'a new file that can be written', `${pathText(path)}: ${textOf(error)}`)
  })
  try {
    for await (const piece of pieces) {
      await file.writeFile(piece)
      interrupted.throwIfAborted()
    }
    await file.sync()
    await flushParentFolder(path)
    // Throw after an interruption: it ended the input early, and the partial file would look complete.
    interrupted.throwIfAborted()
  } catch (error) {
    await rm(path, { force: true })
    // Rethrow an error of the input. Any other error comes from the disk or from an interruption.
    if (error instanceof AlvariumError) throw error
    throw invalid(option, 'a disk with space for the file', textOf(error))
  } finally {
    await file.close()
  }
}

const NEWLINE = Uint8Array.of(0x0a)

export async function writeMessage(
  message: Uint8Array,
  out: string | undefined,
  session: Session,
): Promise<void> {
  if (out === undefined) await session.out.write(Buffer.concat([message, NEWLINE]))
  else await writeNew('--out', out, [message, NEWLINE], session)
}
