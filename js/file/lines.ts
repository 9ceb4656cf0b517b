import { type FileHandle, open, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { FileSettings } from './options.js'

const LINE_END = 0x0a

/** A file that grows by whole lines, and the full ones before it, which have numbers behind their names. */
export class Lines {
  readonly #settings: FileSettings
  #file: FileHandle
  #size = 0
  /** The numbers of the full ones, the oldest first. */
  readonly #full: number[] = []

  private constructor(settings: FileSettings, file: FileHandle) {
    this.#settings = settings
    this.#file = file
  }

  /**
   * @returns the file, and whether its last line was torn: what wrote it had ended in the middle. It stays there, as a line of
   * its own that is no message: the path may be a slip, and the line somebody else's
   */
  static async open(settings: FileSettings): Promise<{ lines: Lines; isTorn: boolean }> {
    const lines = new Lines(settings, await openAt(settings.path))
    try {
      lines.#full.push(...(await numbersAt(settings.path)))
      const isTorn = await lines.#mend()
      if (settings.sync === 'always') await flushFolder(settings.path)
      return { lines, isTorn }
    } catch (error) {
      await lines.close()
      throw error
    }
  }

  /** Adds lines, all or none of them. Throws what the file system does, `ENOSPC` for example. */
  async add(messages: readonly Uint8Array[]): Promise<void> {
    const bytes = messages.reduce((sum, { length }) => sum + length + 1, 0)
    if (this.#size > 0 && this.#size + bytes > this.#settings.maxBytes) await this.#next()
    const end = Uint8Array.of(LINE_END)
    try {
      await writeAll(
        this.#file,
        messages.flatMap((message) => [message, end]),
      )
    } catch (error) {
      await this.#file.truncate(this.#size)
      throw error
    }
    this.#size += bytes
  }

  /** To the disk, if that is asked for. When it fails, nobody knows what is there. */
  async flush(): Promise<void> {
    if (this.#settings.sync === 'always') await this.#file.datasync()
  }

  close(): Promise<void> {
    return this.#file.close()
  }

  async #mend(): Promise<boolean> {
    this.#size = (await this.#file.stat()).size
    if (this.#size === 0) return false
    const { buffer } = await this.#file.read(new Uint8Array(1), 0, 1, this.#size - 1)
    if (buffer[0] === LINE_END) return false
    await this.#file.appendFile('\n')
    this.#size++
    return true
  }

  async #next(): Promise<void> {
    const { path, maxFiles, sync } = this.#settings
    const number = (this.#full.at(-1) ?? 0) + 1
    await rename(path, `${path}.${number}`)
    const file = await openAt(path)
    await this.#file.close()
    this.#file = file
    this.#size = 0
    this.#full.push(number)
    if (sync === 'always') await flushFolder(path)
    while (maxFiles !== undefined && this.#full.length > maxFiles) {
      await rm(`${path}.${this.#full.shift()}`, { force: true })
    }
  }
}

function openAt(path: string): Promise<FileHandle> {
  // Read too: its last byte. Its owner's alone, as an outbox is.
  return open(path, 'a+', 0o600)
}

async function numbersAt(path: string): Promise<number[]> {
  const prefix = `${basename(path)}.`
  const names = (await readdir(dirname(path))).filter((name) => name.startsWith(prefix))
  const numbers = names.map((name) => name.slice(prefix.length)).filter((end) => /^[1-9]\d{0,14}$/.test(end))
  return numbers.map(Number).sort((a, b) => a - b)
}

/** A write can end early, a full disk for example tells with the next. */
async function writeAll(file: FileHandle, pieces: readonly Uint8Array[]): Promise<void> {
  const bytes = Buffer.concat(pieces)
  for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at)).bytesWritten
}

/** A file that is new is only there when its folder says so. Windows has no such thing. */
async function flushFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await open(join(dirname(path), '.'))
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
