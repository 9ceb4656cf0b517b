import { AlvariumError, expected } from '../../../foundation/base/errors.js'
import type { OwnerStore } from '../keeper.js'

/** A stored record with its number. */
export interface StoredRecord {
  readonly number: number
  readonly bytes: Uint8Array
}

/** State of a store when it is opened. */
export interface StoreState {
  /** Numbers of the first and last record; absent if there is none. */
  readonly first?: number | undefined
  readonly last?: number | undefined
  /** The bytes of the last {@link OutboxStore.mark}. */
  readonly mark?: Uint8Array | undefined
  /** True if the mark was damaged, and a copy of it was read. Logged. */
  readonly isMarkDamaged?: boolean | undefined
  /** Number of entries that are not records. Logged once. */
  readonly foreign?: number | undefined
  /**
   * Number of possible beginnings of records in damaged files that were skipped, because there were too many. Logged
   * once.
   */
  readonly unchecked?: number | undefined
}

/** @internal Returns the state of an opened store, without empty members. */
export function storeState(found: {
  readonly numbers: readonly number[]
  readonly mark: Uint8Array | undefined
  readonly isMarkDamaged?: boolean
  readonly foreign: number
  readonly unchecked?: number
}): StoreState | undefined {
  const { numbers, mark, isMarkDamaged = false, foreign, unchecked = 0 } = found
  if (numbers.length === 0 && !mark && foreign === 0 && unchecked === 0) return undefined
  return {
    ...(numbers.length > 0 && { first: numbers[0], last: numbers.at(-1) }),
    ...(mark && { mark }),
    ...(isMarkDamaged && { isMarkDamaged }),
    ...(foreign > 0 && { foreign }),
    ...(unchecked > 0 && { unchecked }),
  }
}

/**
 * Storage of an {@link outbox}: records with consecutive numbers, from some number on. Write your own over any durable
 * storage. Calls of one method never overlap; calls of different methods may.
 *
 * Each record has a checksum. The event `damaged` reports altered records, and missing numbers between two others.
 * Missing numbers at either end can only be detected by a store with `mark`. An error of the store becomes the cause of
 * an `AlvariumError` `STORE_FAILED`, unless it is an `AlvariumError` itself.
 */
export interface OutboxStore {
  /**
   * Opens the store exclusively; rejects with `STORE_LOCKED` if another owner has it open.
   *
   * @returns the state of the store; undefined if it is empty
   */
  open(): Promise<StoreState | undefined>
  /**
   * Stores records with the numbers from `first` on, and replaces existing ones with these numbers. Resolves when all
   * of them would survive a power cut. If it rejects, none of them counts as stored.
   */
  append(first: number, records: readonly Uint8Array[]): Promise<void>
  /**
   * Reads at most so many records from this number on, in order. Rejects with `STORE_DAMAGED` if the first of them can
   * never be read again. After any other error, the call is repeated later.
   */
  read(from: number, most: number): Promise<StoredRecord[]>
  /** Deletes every record up to and including this number. */
  deleteThrough(number: number): Promise<void>
  /** Releases the store, also after `open()` has failed. */
  close(): Promise<void>
  /**
   * Returns the numbers of all records, in order. With it, missing records are known at once, and not only at their
   * turn.
   */
  numbers?(): Promise<number[]>
  /**
   * Stores a few bytes separately from the records, so that damage to one does not affect the other. They must survive
   * the process. After a power cut, older bytes may be left. But if a deletion of records survives, the bytes stored
   * before it must survive too. While this method rejects, nothing is deleted.
   */
  mark?(bytes: Uint8Array): Promise<void>
  /**
   * Storage for a few bytes that the owner of the outbox needs at the next start, such as the run of its checkpoints.
   * Without it, nothing is stored for the owner.
   */
  readonly kept?: OwnerStore
  /** Storage for messages that are set aside. Without it, such messages are sent again and again, behind the others. */
  readonly aside?: SetAsideStore
}

/** Storage of an {@link OutboxStore} for messages that are set aside, by number. Used while the store is open. */
export interface SetAsideStore {
  /** Returns the numbers of all records, in any order. */
  numbers(): Promise<number[]>
  /** Returns undefined if no record has this number. */
  read(number: number): Promise<Uint8Array | undefined>
  /** Stores a record. Resolves when it would survive a power cut. */
  put(number: number, record: Uint8Array): Promise<void>
  /** Deletes the record. Does nothing if there is none. */
  delete(number: number): Promise<void>
}

/** Expectation of each method, for the text of an error. */
const METHODS = {
  ...{ open: 'to open', append: 'to store', read: 'what was stored', deleteThrough: 'to forget' },
  ...{ close: 'to close', numbers: 'all numbers', mark: 'to keep the mark' },
}
const SET_ASIDE_METHODS = {
  ...{ numbers: 'all numbers', read: 'what was set aside', put: 'to store', delete: 'to forget' },
}

const OWNER_METHODS = { get: 'what was kept', put: 'to keep' }

/** @internal Wraps a store, so that its rejections become our errors. */
export function guardStore(store: OutboxStore): OutboxStore {
  const { aside, kept } = store
  return {
    ...guardMethods(store, METHODS, 'store'),
    ...(kept && { kept: guardMethods(kept, OWNER_METHODS, 'store.kept') }),
    ...(aside && { aside: guardMethods(aside, SET_ASIDE_METHODS, 'store.aside') }),
  }
}

/** Wraps the existing methods of an object. Calls of the same method run one after the other. */
function guardMethods<T extends object>(object: T, methods: Record<string, string>, field: string): T {
  const guard = ([name, what]: [string, string]) => {
    const method: unknown = Reflect.get(object, name)
    if (typeof method !== 'function') return []
    let earlier: Promise<unknown> = Promise.resolve()
    const guarded = async (...args: unknown[]) => {
      const turn = earlier.then(() => method.apply(object, args))
      earlier = turn.catch(() => {})
      try {
        return await turn
      } catch (cause) {
        if (cause instanceof AlvariumError) throw cause
        throw expected('STORE_FAILED', `${field}.${name}`, what, undefined, cause)
      }
    }
    return [[name, guarded]]
  }
  return Object.fromEntries(Object.entries(methods).flatMap(guard))
}

/** @internal Returns the error of a call before `open()` or after `close()`. */
export function storeClosed(): AlvariumError {
  return expected('STORE_FAILED', 'store', 'one that is open', 'one that is closed')
}
