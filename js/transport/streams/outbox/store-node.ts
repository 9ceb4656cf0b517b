import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { type AlvariumError, expected } from '../../../foundation/base/errors.js'
import { makeFolder } from '../flush-name.js'
import { lockPath } from '../path-lock.js'
import { AsideFolder, KeptFolder, MarkFiles, namesIn } from './folder.js'
import { RecordLog } from './log.js'
import { EMPTY, readMark, writeMark } from './mark.js'
import { type Found, segmentsIn } from './segment.js'
import { type OpenedStore, type OutboxStore, openedStore, type StoredRecord, storeClosed } from './store.js'

/** Creates a store in a folder: files of records, their mark, and a lock against other processes. */
export function storeAt(place: string): OutboxStore {
  return new FolderStore(place)
}

const FOLDER = {
  field: 'store',
  expected: 'to be the only one that has its folder open',
  advice: 'give each outbox its own folder',
}
/** Placeholder for a lost mark. */
const NO_MARK = new Uint8Array()

class FolderStore implements OutboxStore {
  readonly aside: AsideFolder
  readonly kept: KeptFolder
  readonly #folder: string
  readonly #mark: MarkFiles
  #log: RecordLog | undefined
  #unlock: (() => Promise<void>) | undefined

  constructor(folder: string) {
    this.#folder = folder
    this.#mark = new MarkFiles(folder)
    this.aside = new AsideFolder(folder)
    this.kept = new KeptFolder(folder)
  }

  async open(): Promise<OpenedStore | undefined> {
    await makeFolder(this.#folder)
    const folder = await realpath(this.#folder)
    this.#unlock ??= await lockPath(folder, FOLDER, join(folder, 'lock'))
    const found = await segmentsIn(this.#folder)
    const stored = await this.#mark.read()
    const log = await RecordLog.open(this.#folder, found, readMark(stored)?.settled ?? 0)
    const mark = stored ?? (await this.#begun(found, log))
    await this.kept.make()
    this.#log = log
    const { numbers, unchecked } = log
    return openedStore({ numbers, mark, isMarkDamaged: this.#mark.areDamaged, foreign: 0, unchecked })
  }

  async append(first: number, records: readonly Uint8Array[]): Promise<void> {
    await this.#opened().append(first, records)
  }

  async read(from: number, most: number): Promise<StoredRecord[]> {
    return await this.#opened().read(from, most)
  }

  async numbers(): Promise<number[]> {
    return this.#opened().numbers
  }

  async mark(bytes: Uint8Array): Promise<void> {
    this.#opened()
    await this.#mark.write(bytes)
  }

  async deleteThrough(number: number): Promise<void> {
    const log = this.#opened()
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

  #opened(): RecordLog {
    if (!this.#log) throw storeClosed()
    return this.#log
  }

  /**
   * Begins a new store, with a mark and the folder `kept`. If a later opening finds that folder and no mark, the mark
   * is lost.
   */
  async #begun({ segments }: Found, { numbers }: RecordLog): Promise<Uint8Array> {
    if (numbers.length > 0 || (await namesIn(this.#folder)).includes('kept')) return NO_MARK
    if (segments.length > 0) throw foreign(this.#folder)
    const first = writeMark(EMPTY)
    await this.#mark.begin(first)
    return first
  }
}

/** Returns the error for a folder that may be someone else's database, whose files would be removed. */
function foreign(folder: string): AlvariumError {
  const got = `files without a message in ${folder}: move them away, or name another folder`
  return expected('STORE_DAMAGED', 'store', 'the folder of an outbox', got)
}
