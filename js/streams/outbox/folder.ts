import { writeSync } from 'node:fs'
import { type FileHandle, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../../base/errors.js'
import { flushName, makeFolder } from '../flush-name.js'
import { readMark } from './mark.js'
import { headAt } from './record.js'
import type { AsideStore, KeptStore } from './store.js'

/** The mark of a store, and a copy of it: what happens to one file does not happen to both. */
export class MarkFiles {
  readonly #mark: MarkFile
  readonly #copy: MarkFile
  /** True if one of them is damaged, or the mark gone. */
  areDamaged = false

  constructor(folder: string) {
    this.#mark = new MarkFile(join(folder, 'mark'))
    this.#copy = new MarkFile(join(folder, 'mark-copy'))
  }

  /** Reads the mark, or its copy if it is damaged or gone; otherwise what is left of it. */
  async read(): Promise<Uint8Array | undefined> {
    const [mark, copy] = [await this.#mark.read(), await this.#copy.read()]
    const [isMark, isCopy] = [readMark(mark) !== undefined, readMark(copy) !== undefined]
    this.areDamaged = isMark ? copy !== undefined && !isCopy : isCopy
    if (isMark) return mark
    return isCopy ? copy : (mark ?? copy)
  }

  /** Begins them, unless they are there. */
  async begin(bytes: Uint8Array): Promise<void> {
    await this.#copy.begin(bytes)
    await this.#mark.begin(bytes)
  }

  /** Survives the process. If one of them cannot be written, the mark is not: a copy that is behind would count what was deleted as lost. */
  async write(bytes: Uint8Array): Promise<void> {
    await this.#copy.write(bytes)
    await this.#mark.write(bytes)
  }

  /** Flushes the mark: it survives a loss of power from now on, and its copy soon. */
  flush(): Promise<void> {
    return this.#mark.flush()
  }

  async close(): Promise<void> {
    await this.#copy.close()
    await this.#mark.close()
  }
}

/** A small file that is written in place. */
class MarkFile {
  readonly #path: string
  #file: FileHandle | undefined
  /** Kept so that `close` finds a file that is being opened. */
  #opening: Promise<FileHandle> | undefined

  constructor(path: string) {
    this.#path = path
  }

  /** Without the end of a longer one that it was written over. */
  async read(): Promise<Uint8Array | undefined> {
    const bytes = await contentsOf(this.#path)
    return bytes?.subarray(0, headAt(bytes)?.length)
  }

  /** Writes a new file, unless a process that opens the store at the same time has done so. */
  async begin(bytes: Uint8Array): Promise<void> {
    try {
      await writeFlushed(this.#path, bytes, 'wx')
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error
    }
    await flushName(this.#path)
  }

  /**
   * Survives the process; and a loss of power, when `flush` was called. It is written at once: into a page that the system has in
   * memory this takes 2 µs; through another thread it would take 20, half as long as storing the message.
   *
   * A file that cannot be written, as it may only be read, is replaced.
   */
  async write(bytes: Uint8Array): Promise<void> {
    try {
      this.#opening ??= openAnyway(this.#path)
      this.#file ??= await this.#opening
      writeSync(this.#file.fd, bytes, 0, bytes.length, 0)
    } catch {
      await this.close()
      await replaceFile(this.#path, bytes)
      await flushName(this.#path)
    }
  }

  async flush(): Promise<void> {
    await this.#file?.datasync()
  }

  async close(): Promise<void> {
    const file = await this.#opening?.catch(() => undefined)
    this.#file = undefined
    this.#opening = undefined
    await file?.close()
  }
}

/** What is kept for the owner of an outbox, a file for each name. */
export class KeptFolder implements KeptStore {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = join(folder, 'kept')
  }

  get(name: string): Promise<Uint8Array | undefined> {
    return contentsOf(join(this.#folder, name))
  }

  async put(name: string, bytes: Uint8Array): Promise<void> {
    await this.make()
    await replaceFile(join(this.#folder, name), bytes)
  }

  /** Makes the folder, unless it is there. */
  async make(): Promise<void> {
    await makeFolder(this.#folder)
  }
}

/** What is set aside, a file for each message. */
export class AsideFolder implements AsideStore {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = join(folder, 'set-aside')
  }

  async numbers(): Promise<number[]> {
    const names = await namesIn(this.#folder)
    return names.filter((name) => /^[1-9]\d{0,15}$/.test(name)).map(Number)
  }

  read(number: number): Promise<Uint8Array | undefined> {
    return contentsOf(join(this.#folder, `${number}`))
  }

  async put(number: number, record: Uint8Array): Promise<void> {
    await makeFolder(this.#folder)
    const path = join(this.#folder, `${number}`)
    await replaceFile(path, record)
    await flushName(path)
  }

  async delete(number: number): Promise<void> {
    await rm(join(this.#folder, `${number}`), { force: true, recursive: true })
  }
}

/** The names of what is in a folder; none if there is no folder. */
export async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

/** A file's bytes; nothing if there is no file. */
export async function contentsOf(path: string): Promise<Uint8Array | undefined> {
  try {
    return await readFile(path)
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** With these bytes, or as it was. */
async function replaceFile(path: string, bytes: Uint8Array): Promise<void> {
  await writeFlushed(`${path}.new`, bytes, 'w')
  await rename(`${path}.new`, path)
}

async function writeFlushed(path: string, bytes: Uint8Array, flags: 'w' | 'wx'): Promise<void> {
  const file = await open(path, flags, 0o600)
  try {
    await file.writeFile(bytes)
    await file.datasync()
  } finally {
    await file.close()
  }
}

async function openAnyway(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r+')
  } catch (error) {
    if (!isMissing(error)) throw error
    return open(path, 'w+', 0o600)
  }
}

/** Whether there is no such file. */
export function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT'
}
