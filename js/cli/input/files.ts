import { isUtf8 } from 'node:buffer'
import type { BigIntStats, Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { AlvariumError, codeOf, textOf } from '../../foundation/base/errors.js'
import { shownPath } from '../../foundation/base/text/text.js'

export interface FileFound {
  readonly path: string
  readonly bytes: number
  readonly modifiedMs: number
  /** Device and inode, which stay the same when the file is renamed. */
  readonly id: string
}

export async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true
}

export async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() === true
}

export function idOf({ dev, ino }: Pick<BigIntStats, 'dev' | 'ino'>): string {
  return `${dev}:${ino}`
}

/**
 * Yields the given files and, sorted by name, all files in the given folders. In folders, skips hidden files,
 * and skips links because links can form circles. Yields an `Unreadable` for a path that cannot be looked up
 * or listed. In folders, it also yields one for a FIFO, a device, a socket, or a name that is not UTF-8.
 * Opening a FIFO would wait for a writer.
 */
export async function* filesIn(paths: readonly string[]): AsyncGenerator<FileFound | Unreadable, void> {
  for (const path of paths) {
    try {
      const info = await stat(path, { bigint: true })
      if (info.isDirectory()) yield* filesOf(path)
      else yield foundAt(path, info)
    } catch (error) {
      yield unreadable(path, error)
    }
  }
}

async function* filesOf(folder: string): AsyncGenerator<FileFound | Unreadable, void> {
  const all = await readdir(folder, { withFileTypes: true, encoding: 'buffer' })
  const entries = all.filter((entry) => entry.name[0] !== DOT && !entry.isSymbolicLink())
  const names = entries.filter(isFileOrFolder).map(({ name }) => name)
  yield* filesIn(
    names
      .filter((name) => isUtf8(name))
      .map((name) => join(folder, name.toString()))
      .sort(),
  )
  // Report names that are not UTF-8, because a path in a string cannot contain them.
  for (const name of names.filter((name) => !isUtf8(name))) {
    yield new Unreadable(join(folder, decodeName(name)), 'a name in UTF-8', 'other bytes: rename it')
  }
  for (const entry of entries.filter((entry) => !isFileOrFolder(entry))) {
    const got = entry.isFIFO() ? 'a FIFO: name it itself to read it' : 'a device or a socket'
    yield new Unreadable(join(folder, decodeName(entry.name)), 'a regular file', got)
  }
}

function isFileOrFolder(entry: Dirent<Buffer>): boolean {
  return entry.isFile() || entry.isDirectory()
}

const DOT = 0x2e

/** Returns a file name as text, with non-ASCII bytes written as `\xe9` if the name is not UTF-8. */
function decodeName(name: Buffer): string {
  if (isUtf8(name)) return name.toString()
  return name.toString('latin1').replace(/[\x80-\xff]/g, (one) => `\\x${one.charCodeAt(0).toString(16)}`)
}

function foundAt(path: string, info: BigIntStats): FileFound {
  return { path, bytes: Number(info.size), modifiedMs: Number(info.mtimeNs) / 1e6, id: idOf(info) }
}

/** Error for a file that cannot be read. Most commands report it and continue with the next file. */
export class Unreadable extends AlvariumError {
  constructor(
    readonly path: string,
    readonly expected: string,
    readonly got: string,
  ) {
    super('FILE_UNREADABLE', `${path}: expected ${expected}, got ${got}`)
  }
}

/** Converts a file system error to `Unreadable`, without the system call and the path in the error's text. */
export function unreadable(path: string, error: unknown): Unreadable {
  const isFound = !['ENOENT', 'ENAMETOOLONG'].includes(String(codeOf(error)))
  return new Unreadable(
    isFound ? path : shownPath(path),
    'a file or folder that can be read',
    textOf(error).replace(/, \w+( '.*')?$/s, ''),
  )
}
