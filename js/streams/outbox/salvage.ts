import { constants } from 'node:fs'
import { copyFile, link, mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../../base/errors.js'
import { filesIn, isMissing, namesIn } from './folder.js'
import { assertUnlocked, type Level, openLevel } from './level.js'
import { FilePieces, type RandomAccess } from './pieces.js'
import { isWholeTable } from './table.js'

const PREFIX = 'salvage-'
/** Of a folder that is being made, or removed: what is in it is elsewhere too. */
const PART = '.part'
const decoder = new TextDecoder('latin1')
/** The files of LevelDB's that make up a database, but for its lock. */
export const OF_LEVEL = /^(?:CURRENT|MANIFEST-\d+|\d+\.(?:log|ldb|sst|dbtmp))$/

/** A file that was moved out of LevelDB's reach, and where it is kept. */
interface MovedFile {
  readonly from: string
  readonly to: string
}

/**
 * A store's files as they were before LevelDB opened it. LevelDB passes over what it cannot read, writes the rest anew, and
 * deletes what its own list does not name: what is damaged would be lost before it is missed. Its own repair reads logs without
 * their checksums, and an assertion about what it finds there can end the process; so it is not used.
 *
 * They are kept in one folder, however often opening fails or is interrupted. While there is one, no message was stored since: what
 * LevelDB has by then came out of it.
 */
export class Salvage {
  readonly #folder: string
  /** Folders with such files: one; several, if a process that made one for each attempt has left them. */
  readonly #kept: string[]
  /** Whether a process ended, or failed, before it had put back what it salvaged. */
  readonly isLeft: boolean
  readonly #removed: MovedFile[] = []

  private constructor(folder: string, kept: string[], isLeft: boolean) {
    this.#folder = folder
    this.#kept = kept
    this.isLeft = isLeft
  }

  /** By links, as LevelDB rewrites no file in place: that takes neither room nor time. */
  static async of(folder: string): Promise<Salvage> {
    const left = await salvagesIn(folder)
    if (left.length > 0) return new Salvage(folder, left, true)
    const files = await filesIn(folder)
    return new Salvage(folder, files.length > 0 ? [await copyOf(folder, files)] : [], false)
  }

  /** Where it is. */
  get folders(): readonly string[] {
    return this.#kept
  }

  /**
   * Takes away what LevelDB must not open: a table with a damaged block, and a list of files in the place of a log, which has
   * valid checksums. At what they say, an assertion of LevelDB's can end the process; a file that is missing it only tells.
   */
  async removeUnsafe(): Promise<void> {
    for (const name of await filesIn(this.#folder)) {
      const isSafe = name.endsWith('.log') ? isNoList : /\.(ldb|sst)$/.test(name) ? isWholeTable : undefined
      const from = join(this.#folder, name)
      if (isSafe && !(await isSo(from, isSafe))) await this.#remove(name, from)
    }
  }

  /** Begins the database anew, with nothing in it. */
  async startAnew(): Promise<Level> {
    await assertUnlocked(this.#folder)
    for (const name of await filesIn(this.#folder)) {
      if (OF_LEVEL.test(name)) await rm(join(this.#folder, name), { force: true })
    }
    return openLevel(this.#folder)
  }

  /** Puts back what it took away, and keeps no more than before: LevelDB has changed nothing. */
  async leave(): Promise<void> {
    for (const { from, to } of this.#removed) {
      await linkOrCopy(to, from)
      if (this.isLeft) await rm(to, { force: true })
    }
    if (!this.isLeft) await this.#drop()
  }

  /** Forgets all that was salvaged: what is intact is in the database. */
  async end(): Promise<void> {
    await this.#drop()
    for (const name of await namesIn(this.#folder)) {
      const isPart = name.startsWith(PREFIX) && name.endsWith(PART)
      if (isPart) await rm(join(this.#folder, name), { recursive: true, force: true })
    }
  }

  /** Removing takes several steps: what is left of one that was interrupted must not be taken for a copy. */
  async #drop(): Promise<void> {
    for (const folder of this.#kept) {
      await rename(folder, `${folder}${PART}`)
      await rm(`${folder}${PART}`, { recursive: true, force: true })
    }
  }

  async #remove(name: string, from: string): Promise<void> {
    const [kept] = this.#kept
    if (kept === undefined) return
    const to = join(kept, this.isLeft ? `${crypto.randomUUID()}-${name}` : name)
    if (this.isLeft) await linkOrCopy(from, to)
    this.#removed.push({ from, to })
    await rm(from, { force: true })
  }
}

/** Where a process has left what it had salvaged from a store. */
export async function salvagesIn(folder: string): Promise<string[]> {
  const names = await namesIn(folder)
  const isWhole = (name: string) => name.startsWith(PREFIX) && !name.endsWith(PART)
  return names.filter(isWhole).map((name) => join(folder, name))
}

/** A folder that has its name once all is in it. */
async function copyOf(folder: string, files: readonly string[]): Promise<string> {
  const copy = join(folder, `${PREFIX}${crypto.randomUUID()}`)
  const part = `${copy}${PART}`
  try {
    await mkdir(part, { mode: 0o700 })
    for (const name of files) await linkOrCopy(join(folder, name), join(part, name))
    await rename(part, copy)
    return copy
  } catch (error) {
    await rm(part, { recursive: true, force: true }).catch(() => {})
    throw error
  }
}

/** True if there is no such file. */
async function isSo(path: string, say: (file: RandomAccess) => boolean | Promise<boolean>): Promise<boolean> {
  const file = await FilePieces.open(path)
  if (!file) return true
  try {
    return await say(file)
  } finally {
    await file.close()
  }
}

/** A list of files (MANIFEST) begins with the name of the order of its keys. */
async function isNoList(file: RandomAccess): Promise<boolean> {
  const start = (await file.from(0, 64)).subarray(0, 64)
  return !decoder.decode(start).includes('leveldb.')
}

/** Some file systems know no links. What is gone or there meanwhile was another's, who has the store open. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  const ignoreOthers = (error: unknown) => {
    if (!isMissing(error) && codeOf(error) !== 'EEXIST') throw error
  }
  await link(from, to).catch(() => copyFile(from, to, constants.COPYFILE_EXCL).catch(ignoreOthers))
}
