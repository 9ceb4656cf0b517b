import { AlvariumError } from '../base/errors.js'
import type { OutboxStore, StoredRecord } from './store.js'

const RECORDS = 'records'
/** Milliseconds: a page that is being reloaded holds its locks for a moment longer. */
const WAIT_FOR_LOCK = 1000

/** A store in a database of the page's origin: IndexedDB, with a Web Lock that keeps other pages and workers out. */
export function storeAt(place: string): OutboxStore {
  return new IndexedStore(place)
}

class IndexedStore implements OutboxStore {
  readonly #name: string
  #db: IDBDatabase | undefined
  #release: (() => void) | undefined

  constructor(name: string) {
    this.#name = name
  }

  async open(): Promise<{ first: number; last: number } | undefined> {
    this.#release ??= await takeLock(this.#name)
    try {
      const [first, last] = await this.#edges()
      return first === undefined || last === undefined ? undefined : { first, last }
    } catch (error) {
      await this.close()
      throw error
    }
  }

  append(first: number, records: readonly Uint8Array[]): Promise<void> {
    return this.#write('strict', (store) => {
      for (const [at, record] of records.entries()) store.put(record, first + at)
    })
  }

  async read(from: number, most: number): Promise<StoredRecord[]> {
    const records = (await this.#opened()).transaction(RECORDS).objectStore(RECORDS)
    const range = IDBKeyRange.lowerBound(from)
    const [numbers, values] = await Promise.all([
      settled(records.getAllKeys(range, most)),
      settled<Uint8Array[]>(records.getAll(range, most)),
    ])
    return numbers.map((number, at) => ({ number: Number(number), bytes: values[at] as Uint8Array }))
  }

  /** Durable soon: a later append makes sure of it. */
  deleteThrough(number: number): Promise<void> {
    return this.#write('relaxed', (store) => store.delete(IDBKeyRange.upperBound(number)))
  }

  async close(): Promise<void> {
    this.#db?.close()
    this.#db = undefined
    this.#release?.()
    this.#release = undefined
  }

  async #edges(): Promise<(number | undefined)[]> {
    const records = (await this.#opened()).transaction(RECORDS).objectStore(RECORDS)
    const directions: IDBCursorDirection[] = ['next', 'prev']
    const cursors = directions.map((direction) => settled(records.openKeyCursor(null, direction)))
    return (await Promise.all(cursors)).map((cursor) => cursor?.key as number | undefined)
  }

  async #write(
    durability: IDBTransactionDurability,
    write: (store: IDBObjectStore) => unknown,
  ): Promise<void> {
    const db = await this.#opened()
    const transaction = db.transaction(RECORDS, 'readwrite', { durability })
    write(transaction.objectStore(RECORDS))
    await new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve()
      transaction.onabort = () => reject(transaction.error)
    })
  }

  async #opened(): Promise<IDBDatabase> {
    if (this.#db) return this.#db
    const opening = indexedDB.open(this.#name)
    opening.onupgradeneeded = () => opening.result.createObjectStore(RECORDS)
    const db = await settled(opening)
    // When the user clears the page's data, for example.
    db.onclose = () => {
      this.#db = undefined
    }
    this.#db = db
    return db
  }
}

function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}

/** Resolves with how to let go of it. */
async function takeLock(name: string): Promise<() => void> {
  if (!navigator.locks) {
    const text =
      'store: expected Web Locks, which pages have when they came over HTTPS (or from localhost), got none'
    throw new AlvariumError('STORE_FAILED', text)
  }
  return new Promise((resolve, reject) => {
    const held = () => new Promise<void>((release) => resolve(release))
    const signal = AbortSignal.timeout(WAIT_FOR_LOCK)
    const inUse = (cause: unknown) => {
      const text = `store: expected to be the only one that has ${name} open, got one that another page or worker uses`
      reject(new AlvariumError('STORE_LOCKED', text, { cause }))
    }
    navigator.locks.request(`alvarium-outbox ${name}`, { signal }, held).catch(inUse)
  })
}
