import type { Stats } from 'node:fs'
import { type FileHandle, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { codeOf } from '../../base/errors.js'
import { flushName } from '../flush-name.js'
import { lockPath } from '../path-lock.js'
import type { FileSettings } from './options.js'

const LINE_END = 0x0a
const FILE = {
  field: 'file',
  expected: 'a file that no other stream has open',
  advice: 'give each SDK its own file',
}

/** A file that grows by whole lines, and the full ones before it, which have numbers behind their names. */
export class LineFile {
  readonly #settings: FileSettings
  #file: FileHandle
  #size = 0
  /** Its folder may not have been flushed since. */
  #isNew = true
  /** The numbers of the full ones, the oldest first. */
  readonly #full: number[] = []
  #unlock: (() => Promise<void>) | undefined

  private constructor(settings: FileSettings, file: FileHandle) {
    this.#settings = settings
    this.#file = file
  }

  /**
   * @returns the file, and whether its last line was torn: what wrote it had ended in the middle. It stays there, as a line of
   * its own that is no message: the path may be a slip, and the line somebody else's
   */
  static async open(settings: FileSettings): Promise<{ lines: LineFile; isTorn: boolean }> {
    const lines = new LineFile(settings, await openAt(settings.path))
    try {
      lines.#unlock = await lockPath(await realpath(settings.path), FILE)
      lines.#full.push(...(await numbersAt(settings.path)))
      const isTorn = await lines.#endTornLine()
      await lines.#flushName()
      return { lines, isTorn }
    } catch (error) {
      await lines.close()
      throw error
    }
  }

  /** Lets so many bytes be added: to another file if they are too many for this one. If it throws, nothing is lost, and the next call goes on. */
  async makeRoom(bytes: number): Promise<void> {
    await this.#lookAgain()
    if (this.#size > 0 && this.#size + bytes > this.#settings.maxBytes) await this.#next()
    await this.#flushName()
  }

  /** Adds lines, all or none of them. Throws what the file system does, `ENOSPC` for example. */
  async add(lines: Uint8Array): Promise<void> {
    await writeAll(this.#file, lines)
    this.#size += lines.length
  }

  /** To the disk, if that is asked for. When it fails, nobody knows what is there. */
  async flush(): Promise<void> {
    if (this.#settings.sync === 'always') await this.#file.datasync()
  }

  async close(): Promise<void> {
    await this.#file.close()
    await this.#unlock?.()
  }

  /**
   * Others may write there too, however often they are told not to: what they have added counts, and a line of theirs that was torn is
   * ended, so that ours is not a part of it. A file that was removed, or moved away, is made again: what is written to it would be gone,
   * or elsewhere.
   */
  async #lookAgain(): Promise<void> {
    const [ours, there] = await Promise.all([this.#file.stat(), statOf(this.#settings.path)])
    const isGone = there?.ino !== ours.ino || there.dev !== ours.dev
    if (isGone) await this.#reopen()
    if (isGone || ours.size !== this.#size) await this.#endTornLine()
  }

  async #endTornLine(): Promise<boolean> {
    this.#size = (await this.#file.stat()).size
    if (this.#size === 0) return false
    const { buffer } = await this.#file.read(new Uint8Array(1), 0, 1, this.#size - 1)
    if (buffer[0] === LINE_END) return false
    await this.#file.appendFile('\n')
    // The file may be full, and nothing else be written to it.
    await this.flush()
    this.#size++
    return true
  }

  /** A file that is new survives a loss of power when its folder was flushed too. */
  async #flushName(): Promise<void> {
    if (this.#isNew && this.#settings.sync === 'always') await flushName(this.#settings.path)
    this.#isNew = false
  }

  async #reopen(): Promise<void> {
    const before = this.#file
    this.#file = await openAt(this.#settings.path)
    this.#isNew = true
    await before.close()
  }

  async #next(): Promise<void> {
    const { path, maxFiles } = this.#settings
    const number = await reserve(path, (this.#full.at(-1) ?? 0) + 1)
    try {
      await rename(path, `${path}.${number}`)
    } catch (error) {
      await rm(`${path}.${number}`)
      throw error
    }
    this.#full.push(number)
    await this.#reopen()
    this.#size = 0
    while (maxFiles !== undefined && this.#full.length > maxFiles) {
      await rm(`${path}.${this.#full[0]}`, { force: true })
      this.#full.shift()
    }
  }
}

function openAt(path: string): Promise<FileHandle> {
  // Read too: its last byte. Its owner's alone, as an outbox is.
  return open(path, 'a+', 0o600)
}

async function statOf(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

async function numbersAt(path: string): Promise<number[]> {
  const prefix = `${basename(path)}.`
  const names = (await readdir(dirname(path))).filter((name) => name.startsWith(prefix))
  const numbers = names.map((name) => name.slice(prefix.length)).filter((end) => /^[1-9]\d{0,14}$/.test(end))
  return numbers.map(Number).sort((a, b) => a - b)
}

/** The messages, each with the end of its line. */
export function linesOf(messages: readonly Uint8Array[]): Uint8Array {
  const end = Uint8Array.of(LINE_END)
  return Buffer.concat(messages.flatMap((message) => [message, end]))
}

/**
 * A number that nobody has taken since we looked: renaming to a name that is there would remove what has it. The empty file
 * that reserves the name is what our own then replaces.
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

/** A write can end early, a full disk for example tells with the next; what was written is then taken back. */
async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  let at = 0
  try {
    while (at < bytes.length) at += (await file.write(bytes, at)).bytesWritten
  } catch (error) {
    await takeBack(file, bytes.subarray(0, at))
    throw error
  }
}

/**
 * Removes what we have written last, if it is still the end of the file. Otherwise another program has added something since, of which
 * nothing is removed: ours stays before it, torn.
 */
async function takeBack(file: FileHandle, written: Uint8Array): Promise<void> {
  if (written.length === 0) return
  const { size } = await file.stat()
  const { buffer } = await file.read(new Uint8Array(written.length), 0, written.length, size - written.length)
  if (Buffer.compare(buffer, written) === 0) await file.truncate(size - written.length)
}
