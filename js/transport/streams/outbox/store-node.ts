import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { type AlvariumError, expected } from '../../../foundation/base/errors.js'
import { makeFolder } from '../flush-name.js'
import { lockPath } from '../path-lock.js'
import { MarkFiles, namesIn, OwnerFolder, SetAsideFolder } from './folder.js'
import { RecordLog } from './log.js'
import { EMPTY_MARK, readMark, writeMark } from './mark.js'
import { type SegmentList, segmentsIn } from './segment.js'
import { type OutboxStore, type StoredRecord, type StoreState, storeClosed } from './store.js'

/** Creates a store in a folder: files of records, a mark of the settled ones, and a lock against other processes. */
export function storeAt(place: string): OutboxStore {
  return new FolderStore(place)
}

const LOCKABLE = {
  field: 'store',
  expected: 'a folder that no other outbox has open',
  advice: 'give each outbox its own folder',
}
/** Placeholder for a lost mark, which {@link readMark} treats as damaged. */
const LOST_MARK = new Uint8Array()

class FolderStore implements OutboxStore {
  readonly setAside: SetAsideFolder
  readonly owner: OwnerFolder
  readonly #folder: string
  readonly #mark: MarkFiles
  #log: RecordLog | undefined
  #unlock: (() => Promise<void>) | undefined

  constructor(folder: string) {
    this.#folder = folder
    this.#mark = new MarkFiles(folder)
    this.setAside = new SetAsideFolder(folder)
    this.owner = new OwnerFolder(folder)
  }

  async open(): Promise<StoreState> {
    await makeFolder(this.#folder)
    const folder = await realpath(this.#folder)
    this.#unlock ??= await lockPath(folder, LOCKABLE, join(folder, 'lock'))
    const found = await segmentsIn(this.#folder)
    const stored = await this.#mark.read()
    const log = await RecordLog.open(this.#folder, found, readMark(stored)?.settled ?? 0)
    const mark = stored ?? (await this.#createMark(found, log))
    await this.owner.make()
    this.#log = log
    const { numbers, unchecked } = log
    return { first: numbers[0], last: numbers.at(-1), mark, isMarkDamaged: this.#mark.isDamaged, unchecked }
  }

  async append(first: number, records: readonly Uint8Array[]): Promise<void> {
    await this.#openedLog().append(first, records)
  }

  async read(from: number, maxCount: number): Promise<StoredRecord[]> {
    return await this.#openedLog().read(from, maxCount)
  }

  async numbers(): Promise<number[]> {
    return this.#openedLog().numbers
  }

  async mark(bytes: Uint8Array): Promise<void> {
    this.#openedLog()
    await this.#mark.write(bytes)
  }

  async deleteThrough(number: number): Promise<void> {
    const log = this.#openedLog()
    await this.#mark.flush()
    await log.deleteThrough(number)
  }

  async close(): Promise<void> {
    const [log, unlock] = [this.#log, this.#unlock]
    this.#log = this.#unlock = undefined
    try {
      await log?.close()
      await this.#mark.close()
    } finally {
      await unlock?.()
    }
  }

  #openedLog(): RecordLog {
    if (!this.#log) throw storeClosed()
    return this.#log
  }

  /**
   * Creates the mark of a new store. Returns `LOST_MARK` if the store has records or the subfolder `owner`,
   * because it is then not new.
   */
  async #createMark({ segments }: SegmentList, { numbers }: RecordLog): Promise<Uint8Array> {
    if (numbers.length > 0 || (await namesIn(this.#folder)).includes('owner')) return LOST_MARK
    if (segments.length > 0) throw foreign(this.#folder)
    const first = writeMark(EMPTY_MARK)
    await this.#mark.create(first)
    return first
  }
}

/** Returns the error for files with our names, which another program may have written. */
function foreign(folder: string): AlvariumError {
  const got = `files without a message in ${folder}: move them away, or name another folder`
  return expected('STORE_DAMAGED', 'store', 'the folder of an outbox', got)
}
