import { mkdir } from 'node:fs/promises'
import { type AlvariumError, expected } from '../../base/errors.js'
import { shared } from '../../base/time/promises.js'
import { AsideFolder, KeptFolder, MarkFiles, namesIn } from './folder.js'
import { damaged, keyOf, LAST_KEY, type Level, numberOfKey } from './level.js'
import { EMPTY, writeMark } from './mark.js'
import { freeIn, openWhole, put, ROOM_TO_OPEN, type SalvagedDatabase } from './opening.js'
import { OF_LEVEL } from './salvage.js'
import { type OpenedStore, type OutboxStore, openedStore, type StoredRecord, storeClosed } from './store.js'

/** A store in a folder: LevelDB, whose own lock keeps others out, and files beside it. */
export function storeAt(place: string): OutboxStore {
  return new LevelStore(place)
}

class LevelStore implements OutboxStore {
  readonly aside: AsideFolder
  readonly kept: KeptFolder
  readonly #folder: string
  readonly #mark: MarkFiles
  #opening: Promise<SalvagedDatabase> | undefined
  /**
   * A write has failed. LevelDB would go on behind the torn record in its log, and at the next start drop what comes
   * after that: 2,000 acknowledged records in a test with a full disk. When it is opened again, it begins a new log.
   */
  #isTorn = false
  /** Between `open` and `close`: a call that comes later must not take the lock again. */
  #isOpen = false
  #deleted = 0

  constructor(folder: string) {
    this.#folder = folder
    this.#mark = new MarkFiles(folder)
    this.aside = new AsideFolder(folder)
    this.kept = new KeptFolder(folder)
  }

  async open(): Promise<OpenedStore | undefined> {
    this.#isOpen = true
    const found = await this.#opened()
    return openedStore({ ...found, isMarkDamaged: this.#mark.areDamaged })
  }

  append(first: number, records: readonly Uint8Array[]): Promise<void> {
    return this.#write((level) =>
      put(
        level,
        records.map((record, at) => [first + at, record]),
      ),
    )
  }

  async read(from: number, most: number): Promise<StoredRecord[]> {
    const { level, records } = await this.#opened()
    if (!level) return (await records?.read(from, most)) ?? []
    try {
      const found = await level.iterator({ gte: keyOf(from), lte: LAST_KEY, limit: most }).all()
      return found.flatMap(([key, bytes]) => {
        const number = numberOfKey(key)
        return number === undefined ? [] : [{ number, bytes }]
      })
    } catch (error) {
      throw damaged(error)
    }
  }

  /** As they were when it was opened. */
  async numbers(): Promise<number[]> {
    return [...(await this.#opened()).numbers]
  }

  async mark(bytes: Uint8Array): Promise<void> {
    if (!this.#isOpen) throw storeClosed()
    await this.#mark.write(bytes)
  }

  /** Not flushed to the disk, as the mark is before: the next append does that too. */
  async deleteThrough(number: number): Promise<void> {
    await this.#mark.flush()
    const { records } = await this.#opened()
    // The next process goes by the mark.
    if (records) return records.forgetThrough(number)
    // From where the last call ended: otherwise LevelDB would look at all that is deleted and not yet compacted.
    const gt = keyOf(this.#deleted)
    await this.#write((level) => level.clear({ gt, lte: keyOf(number) }))
    this.#deleted = number
  }

  async close(): Promise<void> {
    this.#isOpen = false
    await this.#closeLevel()
    await this.#mark.close()
  }

  async #closeLevel(): Promise<void> {
    const opened = await this.#opening?.catch(() => undefined)
    // Until it is closed, no other may be opened.
    await opened?.level?.close()
    this.#opening = undefined
  }

  async #write(write: (level: Level) => Promise<void>): Promise<void> {
    const { level } = await (this.#isTorn ? this.#reopened() : this.#opened())
    if (!level) throw noRoom(await freeIn(this.#folder))
    try {
      await write(level)
    } catch (error) {
      this.#isTorn = true
      throw damaged(error)
    }
  }

  /**
   * One at a time, as with `#opened`: LevelDB keeps out even ourselves. Only if it can succeed: until then, what is stored can at
   * least be read, and so be sent.
   */
  readonly #reopened = shared(async () => {
    const free = await freeIn(this.#folder)
    if (free < ROOM_TO_OPEN) throw noRoom(free)
    await this.#closeLevel()
    return this.#opened()
  })

  #opened(): Promise<SalvagedDatabase> {
    if (!this.#isOpen) return Promise.reject(storeClosed())
    this.#opening ??= this.#open().catch((error) => {
      this.#opening = undefined
      throw error
    })
    return this.#opening
  }

  /** Reads the mark. A store has one from the first opening on: if it has files and no mark, the mark is lost. */
  async #markOf(names: readonly string[]): Promise<Uint8Array> {
    const mark = await this.#mark.read()
    if (mark) return mark
    if (names.some((name) => OF_LEVEL.test(name))) return NO_MARK
    const first = writeMark(EMPTY)
    await this.#mark.begin(first)
    return first
  }

  async #open(): Promise<SalvagedDatabase> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    const opened = await openWhole(this.#folder, await this.#markOf(await namesIn(this.#folder)))
    // Without room to open it, it is read as after a write that has failed.
    this.#isTorn = opened.level === undefined
    return opened
  }
}

/** Stand-in for a mark that is lost. */
const NO_MARK = new Uint8Array()

function noRoom(free: number): AlvariumError {
  const disk = `${ROOM_TO_OPEN} bytes of free disk to go on after a write that failed`
  return expected('STORE_FAILED', 'store', disk, `${free}`)
}
