import { type FileHandle, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { codeOf } from '../../../foundation/base/errors.js'
import { ifPresent } from '../../../foundation/base/if-present.js'
import { flushParentFolder } from '../flush-name.js'
import { lockPath } from '../path-lock.js'
import type { FileSettings } from './options.js'

const LINE_END = 0x0a
const LOCKABLE = {
  field: 'file',
  expected: 'a file that no other stream has open',
  advice: 'give each SDK its own file',
}

/** A file that grows by whole lines, with its full predecessors `path.1`, `path.2`, and so on. */
export class LineFile {
  readonly #settings: FileSettings
  #file: FileHandle
  #size = 0
  /** True until `#flushName()` has run after the file was opened. */
  #isNew = true
  /** Suffixes of the full files, the oldest first. */
  readonly #fullFiles: number[] = []
  #unlock: (() => Promise<void>) | undefined

  private constructor(settings: FileSettings, file: FileHandle) {
    this.#settings = settings
    this.#file = file
  }

  /**
   * Opens and locks the file. If the last line is incomplete, because a writer stopped during a write, adds a
   * line end. Does not delete the line, because the path may by mistake lead to a file of another program.
   */
  static async open(settings: FileSettings): Promise<{ lines: LineFile; isTorn: boolean }> {
    const lines = new LineFile(settings, await openAt(settings.path))
    try {
      lines.#unlock = await lockPath(await realpath(settings.path), LOCKABLE)
      lines.#fullFiles.push(...(await numbersAt(settings.path)))
      const isTorn = await lines.#endTornLine()
      await lines.#flushName()
      return { lines, isTorn }
    } catch (error) {
      await lines.close()
      throw error
    }
  }

  /**
   * Makes room for a number of bytes: begins the next file if the current file would exceed `maxBytes`. A
   * failed call loses nothing and can be repeated.
   */
  async makeRoom(bytes: number): Promise<void> {
    await this.#recheck()
    if (this.#size > 0 && this.#size + bytes > this.#settings.maxBytes) await this.#beginNextFile()
    await this.#flushName()
  }

  /** Appends all lines, or none. */
  async add(lines: Uint8Array): Promise<void> {
    await writeAll(this.#file, lines)
    this.#size += lines.length
  }

  /**
   * Flushes the file to the disk if `sync` is `always`. After a failed flush, the contents of the file are
   * unknown.
   */
  async flush(): Promise<void> {
    if (this.#settings.sync === 'always') await this.#file.datasync()
  }

  async close(): Promise<void> {
    await this.#file.close()
    await this.#unlock?.()
  }

  /**
   * Checks the file before a write, because other programs may have changed it. Counts bytes that they have
   * added, and ends a torn line, which would otherwise join our next line. Reopens the path if the file was
   * removed or moved, because our lines would otherwise be lost or end up elsewhere.
   */
  async #recheck(): Promise<void> {
    const [fileStats, pathStats] = await Promise.all([
      this.#file.stat(),
      ifPresent(stat(this.#settings.path)),
    ])
    const isGone = pathStats?.ino !== fileStats.ino || pathStats.dev !== fileStats.dev
    if (isGone) await this.#reopen()
    if (isGone || fileStats.size !== this.#size) await this.#endTornLine()
  }

  async #endTornLine(): Promise<boolean> {
    this.#size = (await this.#file.stat()).size
    if (this.#size === 0) return false
    const { buffer } = await this.#file.read(new Uint8Array(1), 0, 1, this.#size - 1)
    if (buffer[0] === LINE_END) return false
    await this.#file.appendFile('\n')
    // Flush the line end here, because a full file gets no further line, and so no later flush.
    await this.flush()
    this.#size++
    return true
  }

  /** Flushes the folder of a new file, because otherwise the file may not survive a power loss. */
  async #flushName(): Promise<void> {
    if (this.#isNew && this.#settings.sync === 'always') await flushParentFolder(this.#settings.path)
    this.#isNew = false
  }

  async #reopen(): Promise<void> {
    const before = this.#file
    this.#file = await openAt(this.#settings.path)
    this.#isNew = true
    await before.close()
  }

  async #beginNextFile(): Promise<void> {
    const { path, maxFiles } = this.#settings
    const number = await reserve(path, (this.#fullFiles.at(-1) ?? 0) + 1)
    try {
      await rename(path, `${path}.${number}`)
    } catch (error) {
      await rm(`${path}.${number}`)
      throw error
    }
    this.#fullFiles.push(number)
    await this.#reopen()
    this.#size = 0
    while (maxFiles !== undefined && this.#fullFiles.length > maxFiles) {
      await rm(`${path}.${this.#fullFiles[0]}`, { force: true })
      this.#fullFiles.shift()
    }
  }
}

function openAt(path: string): Promise<FileHandle> {
  // Open the file for reading too, for `#endTornLine()`. Only the owner has access.
  return open(path, 'a+', 0o600)
}

async function numbersAt(path: string): Promise<number[]> {
  const prefix = `${basename(path)}.`
  const names = (await readdir(dirname(path))).filter((name) => name.startsWith(prefix))
  const numbers = names.map((name) => name.slice(prefix.length)).filter((end) => /^[1-9]\d{0,14}$/.test(end))
  return numbers.map(Number).sort((a, b) => a - b)
}

export function linesOf(messages: readonly Uint8Array[]): Uint8Array {
  const end = Uint8Array.of(LINE_END)
  return Buffer.concat(messages.flatMap((message) => [message, end]))
}

/**
 * Reserves a number by an empty file, which the full file then replaces. Otherwise, renaming could replace a
 * file of another program.
 */
async function reserve(path: string, number: number): Promise<number> {
  try {
    await (await open(`${path}.${number}`, 'wx', 0o600)).close()
    return number
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
    return reserve(path, number + 1)
  }
}

/**
 * Writes all bytes or none. On a full disk, the system shortens one write and fails the next write. The bytes
 * written so far are then removed.
 */
async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  let at = 0
  try {
    while (at < bytes.length) at += (await file.write(bytes, at)).bytesWritten
  } catch (error) {
    await removeWritten(file, bytes.subarray(0, at))
    throw error
  }
}

/**
 * Removes the bytes of a failed write if they are still the end of the file. If another program has appended
 * bytes since, our torn line stays before them.
 */
async function removeWritten(file: FileHandle, bytes: Uint8Array): Promise<void> {
  if (bytes.length === 0) return
  const { size } = await file.stat()
  const { buffer } = await file.read(new Uint8Array(bytes.length), 0, bytes.length, size - bytes.length)
  if (Buffer.compare(buffer, bytes) === 0) await file.truncate(size - bytes.length)
}
