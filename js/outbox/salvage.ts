import { constants } from 'node:fs'
import { copyFile, link, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { carve } from './carve.js'
import { contentsOf, isMissing, namesIn } from './folder.js'
import { assertUnlocked, type Level, openLevel } from './level.js'
import { type Mark, readMark } from './mark.js'
import { numberOf, readRecord } from './record.js'
import { isWholeTable } from './table.js'

const PREFIX = 'salvage-'
const decoder = new TextDecoder('latin1')
/** The files of LevelDB's that make up a database, but for its lock. */
const OF_LEVEL = /^(?:CURRENT|MANIFEST-\d+|\d+\.(?:log|ldb|sst|dbtmp))$/

/** What was found among the files of a store. */
export interface Salvaged {
  readonly records: ReadonlyMap<number, Uint8Array>
  readonly mark: Uint8Array | undefined
}

/**
 * A store's files as they were before LevelDB opened it. LevelDB passes over what it cannot read, writes the rest anew, and
 * deletes what its own list does not name: what is damaged would be gone before it is missed. Its own repair reads logs without
 * their checksums, and an assertion about what it finds there can end the process; so it is not used.
 */
export class Salvage {
  readonly #folder: string
  readonly #snapshot: string
  /** The names of what is in the snapshot. */
  #names: string[] = []
  /** Of these, what was taken away from LevelDB. */
  readonly #removed: string[] = []

  private constructor(folder: string) {
    this.#folder = folder
    this.#snapshot = join(folder, `${PREFIX}${crypto.randomUUID()}`)
  }

  /** Links, as LevelDB writes no file anew in place: that takes no room and no time. */
  static async of(folder: string): Promise<Salvage> {
    const salvage = new Salvage(folder)
    salvage.#names = await filesIn(folder)
    if (salvage.#names.length === 0) return salvage
    try {
      await mkdir(salvage.#snapshot, { mode: 0o700 })
      for (const name of salvage.#names) await linkOrCopy(join(folder, name), join(salvage.#snapshot, name))
      return salvage
    } catch (error) {
      await salvage.leave()
      throw error
    }
  }

  /**
   * Takes away what LevelDB must not open: a table with a damaged block, and a list of files in the place of a log, which has
   * valid checksums. At what they say, an assertion of LevelDB's can end the process; a file that is missing it only tells.
   */
  async removeUnsafe(): Promise<void> {
    for (const name of this.#names) {
      const isSafe = name.endsWith('.log') ? isNoList : /\.(ldb|sst)$/.test(name) ? isWholeTable : undefined
      const path = join(this.#folder, name)
      const file = isSafe && (await contentsOf(path))
      if (!file || !isSafe || isSafe(file)) continue
      this.#removed.push(name)
      await rm(path, { force: true })
    }
  }

  /** Whether a process ended before it was done with what it had salvaged. */
  async isLeft(): Promise<boolean> {
    return (await this.#folders()).some((folder) => folder !== this.#snapshot)
  }

  /** Every intact record, and the newest mark, in whatever file they are. */
  async carved(): Promise<Salvaged> {
    return carvedIn(await this.#folders())
  }

  /** Begins the database anew, with nothing in it. */
  async startAnew(): Promise<Level> {
    await assertUnlocked(this.#folder)
    for (const name of await filesIn(this.#folder)) {
      if (OF_LEVEL.test(name)) await rm(join(this.#folder, name), { force: true })
    }
    return openLevel(this.#folder)
  }

  /** Puts back what it took away, and forgets this snapshot alone: the place is another's. */
  async leave(): Promise<void> {
    for (const name of this.#removed) await linkOrCopy(join(this.#snapshot, name), join(this.#folder, name))
    await rm(this.#snapshot, { recursive: true, force: true })
  }

  /** Forgets all that was salvaged: what is intact is in the database. */
  async end(): Promise<void> {
    for (const folder of await this.#folders()) await rm(folder, { recursive: true, force: true })
  }

  async #folders(): Promise<string[]> {
    const names = (await namesIn(this.#folder)).filter((name) => name.startsWith(PREFIX))
    return names.map((name) => join(this.#folder, name))
  }
}

/** Every intact record, and the newest mark, in the files of these folders. */
export async function carvedIn(folders: readonly string[]): Promise<Salvaged> {
  const found = new Found()
  for (const folder of folders) {
    for (const name of await filesIn(folder)) {
      const file = await contentsOf(join(folder, name))
      for (const record of file ? carve(file) : []) found.add(numberOf(record), record)
    }
  }
  return found
}

/** A list of files (MANIFEST) begins with the name of the order of its keys. */
function isNoList(file: Uint8Array): boolean {
  return !decoder.decode(file.subarray(0, 64)).includes('leveldb.')
}

class Found implements Salvaged {
  readonly records = new Map<number, Uint8Array>()
  #mark: { bytes: Uint8Array; says: Mark } | undefined

  get mark(): Uint8Array | undefined {
    return this.#mark?.bytes
  }

  add(number: number, record: Uint8Array): void {
    if (number === 0) this.#addMark(record)
    else this.#addRecord(number, record)
  }

  #addRecord(number: number, record: Uint8Array): void {
    const other = this.records.get(number)
    // A number is given again when an append has failed: the later one counts.
    if (other && storedAtOf(number, other) >= storedAtOf(number, record)) return
    this.records.set(number, new Uint8Array(record))
  }

  #addMark(bytes: Uint8Array): void {
    const says = readMark(bytes)
    if (!says) return
    const isNewer = !this.#mark || says.last + says.settled > this.#mark.says.last + this.#mark.says.settled
    if (isNewer) this.#mark = { bytes: new Uint8Array(bytes), says }
  }
}

function storedAtOf(number: number, record: Uint8Array): number {
  return readRecord(number, record).storedAt
}

/**
 * All but LevelDB's lock. A process that reads it, under whatever name, gives the lock up when it closes the file: POSIX, fcntl,
 * "all locks associated with a file for a given process shall be removed when a file descriptor for that file is closed".
 */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  return entries.filter((entry) => entry.isFile() && entry.name !== 'LOCK').map(({ name }) => name)
}

/** Some file systems know no links. What is gone or there meanwhile was another's, who has the store open. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  const ignoreOthers = (error: unknown) => {
    if (!isMissing(error) && (error as { code?: unknown }).code !== 'EEXIST') throw error
  }
  await link(from, to).catch(() => copyFile(from, to, constants.COPYFILE_EXCL).catch(ignoreOthers))
}
