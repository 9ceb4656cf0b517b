import { AlvariumError, needs } from '../../../foundation/base/errors.js'
import { deadline } from '../../../foundation/base/time/timeout.js'
import type { OwnerStore } from '../keeper.js'
import {
  type OutboxStore,
  type SetAsideStore,
  type StoredRecord,
  type StoreState,
  storeClosed,
} from './store.js'

const RECORDS = 'records'
/** IndexedDB key of the store's mark. IndexedDB sorts it after all records, because their keys are numbers. */
const MARK = 'mark'
const SET_ASIDE_PREFIX = 'aside '
const OWNER_PREFIX = 'owner '
const isOwnerKey = (key: IDBValidKey) => typeof key === 'string' && key.startsWith(OWNER_PREFIX)
const isSetAsideKey = (key: IDBValidKey): key is string =>
  typeof key === 'string' && key.startsWith(SET_ASIDE_PREFIX)
/** Maximum milliseconds to wait for the lock, because a reloading page releases it a moment later. */
const MAX_LOCK_WAIT_MS = 1000

/** Creates a store in an IndexedDB database of the page's origin, with a Web Lock against a second owner. */
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

  async open(): Promise<StoreState> {
    this.#release ??= await takeLock(this.#name)
    try {
      const keys = await this.#keys()
      const numbers = keys.filter((key) => typeof key === 'number')
      const foreign = keys.filter((key) => typeof key !== 'number' && !isSetAsideKey(key)).length
      const mark = await resultOf<Uint8Array | undefined>((await this.#recordsToRead()).get(MARK))
      return { first: numbers[0], last: numbers.at(-1), mark, foreign }
    } catch (error) {
      await this.close()
      throw error
    }
  }

  async numbers(): Promise<number[]> {
    const keys = await this.#keys()
    return keys.filter((key) => typeof key === 'number')
  }

  append(first: number, records: readonly Uint8Array[]): Promise<void> {
    return this.#write('strict', (store) => {
      for (const [at, record] of records.entries()) store.put(record, first + at)
    })
  }

  async read(from: number, maxCount: number): Promise<StoredRecord[]> {
    const records = await this.#recordsToRead()
    const range = IDBKeyRange.bound(from, Number.MAX_SAFE_INTEGER)
    const [numbers, values] = await Promise.all([
      resultOf(records.getAllKeys(range, maxCount)),
      resultOf<Uint8Array[]>(records.getAll(range, maxCount)),
    ])
    return numbers.map((number, at) => ({ number: Number(number), bytes: values[at] as Uint8Array }))
  }

  /** Deletes records. The deletion is durable after the next append at the latest. */
  deleteThrough(number: number): Promise<void> {
    return this.#write('relaxed', (store) => store.delete(IDBKeyRange.upperBound(number)))
  }

  mark(bytes: Uint8Array): Promise<void> {
    return this.#write('relaxed', (store) => store.put(bytes, MARK))
  }

  readonly owner: OwnerStore = {
    get: async (name) =>
      resultOf<Uint8Array | undefined>((await this.#recordsToRead()).get(`${OWNER_PREFIX}${name}`)),
    put: (name, bytes) => this.#write('relaxed', (store) => store.put(bytes, `${OWNER_PREFIX}${name}`)),
  }

  readonly setAside: SetAsideStore = {
    numbers: async () =>
      (await this.#keys()).filter(isSetAsideKey).map((key) => Number(key.slice(SET_ASIDE_PREFIX.length))),
    read: async (number) =>
      resultOf<Uint8Array | undefined>((await this.#recordsToRead()).get(`${SET_ASIDE_PREFIX}${number}`)),
    put: (number, record) =>
      this.#write('strict', (store) => store.put(record, `${SET_ASIDE_PREFIX}${number}`)),
    delete: (number) => this.#write('strict', (store) => store.delete(`${SET_ASIDE_PREFIX}${number}`)),
  }

  async close(): Promise<void> {
    this.#db?.close()
    this.#db = undefined
    this.#release?.()
    this.#release = undefined
  }

  /** Returns all keys but those of the mark and of the owner's data. */
  async #keys(): Promise<IDBValidKey[]> {
    const keys = await resultOf((await this.#recordsToRead()).getAllKeys())
    return keys.filter((key) => key !== MARK && !isOwnerKey(key))
  }

  async #recordsToRead(): Promise<IDBObjectStore> {
    return (await this.#opened()).transaction(RECORDS).objectStore(RECORDS)
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
    // Without the lock, the database must not be reopened.
    if (!this.#release) throw storeClosed()
    const opening = indexedDB.open(this.#name)
    opening.onupgradeneeded = () => opening.result.createObjectStore(RECORDS)
    const db = await resultOf(opening)
    // Forget a database that the browser closes, for example because the user clears the page's data.
    db.onclose = () => {
      this.#db = undefined
    }
    this.#db = db
    return db
  }
}

function resultOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}

/** Resolves with a function that releases the lock. */
async function takeLock(name: string): Promise<() => void> {
  if (!navigator.locks) {
    throw needs('store', 'Web Locks, which pages have over HTTPS or from localhost', 'STORE_FAILED')
  }
  const requestLock = (signal: AbortSignal) =>
    new Promise<() => void>((resolve, reject) => {
      // Release a lock that arrives too late at once, because no caller would release it.
      const holdLock = () => new Promise<void>((release) => (signal.aborted ? release() : resolve(release)))
      navigator.locks.request(`alvarium-outbox ${name}`, { signal }, holdLock).catch(reject)
    })
  try {
    return await deadline(MAX_LOCK_WAIT_MS, `store: expected the lock of ${name}`, requestLock)
  } catch (cause) {
    throw new AlvariumError('STORE_LOCKED', `store: ${name} is open in another page or worker`, { cause })
  }
}
