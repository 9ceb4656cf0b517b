import { AlvariumError, failureOf } from '../../../foundation/base/errors.js'
import type { OwnerStore } from '../keeper.js'

/** A record as stored: its number, and the bytes that were passed to {@link OutboxStore.append}. */
export interface StoredRecord {
  readonly number: number
  readonly bytes: Uint8Array
}

/** State of a store that was just opened. */
export interface StoreState {
  /** Number of the first record; `last` is the number of the last record. Absent if there are no records. */
  readonly first?: number | undefined
  readonly last?: number | undefined
  /** Bytes that were last passed to {@link OutboxStore.mark}. */
  readonly mark?: Uint8Array | undefined
  /**
   * True if the mark was damaged or missing and the store has read a copy, or if only the copy was damaged.
   * The outbox logs a warning.
   */
  readonly isMarkDamaged?: boolean | undefined
  /** Number of entries in the store that are not records. The outbox logs a warning. */
  readonly foreign?: number | undefined
  /** Number of possible records left unchecked, because too many checksums failed. The outbox warns. */
  readonly unchecked?: number | undefined
}

/**
 * Storage of an {@link outbox}: records with consecutive numbers. You can implement it with any durable
 * storage. Calls of one method never overlap, but calls of different methods may.
 *
 * Each record has a checksum. The event `damaged` reports damaged records, and missing numbers between two
 * records. Only a store with `mark` can detect missing numbers at either end. An error of the store becomes
 * the cause of an `AlvariumError` `STORE_FAILED`, unless it is an `AlvariumError` itself.
 */
export interface OutboxStore {
  /**
   * Opens the store exclusively. Rejects with `STORE_LOCKED` if another owner has opened the store.
   *
   * @returns the state of the store, or undefined if the store is empty
   */
  open(): Promise<StoreState | undefined>
  /**
   * Stores records with consecutive numbers from `first`, and replaces existing records with these numbers.
   * Resolves when all records would survive a power cut. If the call rejects, no record counts as stored.
   */
  append(first: number, records: readonly Uint8Array[]): Promise<void>
  /**
   * Reads at most `most` records from number `from` on, in order. Rejects with `STORE_DAMAGED` if the first
   * record can never be read again. After any other error, the outbox repeats the call later.
   */
  read(from: number, most: number): Promise<StoredRecord[]>
  /** Deletes every record up to and including `number`. */
  deleteThrough(number: number): Promise<void>
  /** Releases the store. The outbox also calls this after `open()` has failed. */
  close(): Promise<void>
  /**
   * Returns the numbers of all records, in order. With this method, the outbox reports missing records when it
   * opens the store. Otherwise it reports a missing record when that record is the next to send.
   */
  numbers?(): Promise<number[]>
  /**
   * Stores a few bytes separately from the records, so that damage to one does not affect the other. The
   * bytes must survive the process. After a power cut, older bytes may be left. But if a deletion of records
   * survives, bytes stored before the deletion must survive too. While this method rejects, the outbox
   * deletes no records.
   */
  mark?(bytes: Uint8Array): Promise<void>
  /**
   * Storage for a few bytes that the owner of the outbox needs at the next start, such as the run of its
   * checkpoints. Without `owner`, the outbox stores nothing for its owner.
   */
  readonly owner?: OwnerStore
  /**
   * Storage for messages that are set aside. Without it, the outbox resends them, and newer ones may overtake
   * them.
   */
  readonly setAside?: SetAsideStore
}

/** Storage of an open {@link OutboxStore} for messages that are set aside, by number. */
export interface SetAsideStore {
  /** Returns the numbers of all records, in any order. */
  numbers(): Promise<number[]>
  /** Returns the record with a number, or undefined if there is none. */
  read(number: number): Promise<Uint8Array | undefined>
  /** Stores a record. Resolves when the record would survive a power cut. */
  put(number: number, record: Uint8Array): Promise<void>
  /** Deletes a record, if it exists. */
  delete(number: number): Promise<void>
}

/** Names of the store's methods that {@link guardStore} wraps. */
const METHODS = ['open', 'append', 'read', 'deleteThrough', 'close', 'numbers', 'mark']
const SET_ASIDE_METHODS = ['numbers', 'read', 'put', 'delete']
const OWNER_METHODS = ['get', 'put']

/** @internal Wraps a store, so that its rejections become our errors. */
export function guardStore(store: OutboxStore): OutboxStore {
  const { setAside, owner } = store
  return {
    ...guardMethods(store, METHODS, 'store'),
    ...(owner && { owner: guardMethods(owner, OWNER_METHODS, 'store.owner') }),
    ...(setAside && { setAside: guardMethods(setAside, SET_ASIDE_METHODS, 'store.setAside') }),
  }
}

/** Wraps the existing methods of an object. Calls of the same method run one after the other. */
function guardMethods<T extends object>(object: T, methods: readonly string[], field: string): T {
  const guard = (name: string) => {
    const method: unknown = Reflect.get(object, name)
    if (typeof method !== 'function') return []
    let earlier: Promise<unknown> = Promise.resolve()
    const guarded = async (...args: unknown[]) => {
      const turn = earlier.then(() => method.apply(object, args))
      earlier = turn.catch(() => {})
      try {
        return await turn
      } catch (cause) {
        throw failureOf('STORE_FAILED', `${field}.${name}`, cause)
      }
    }
    return [[name, guarded]]
  }
  return Object.fromEntries(methods.flatMap(guard))
}

/** @internal Returns the error of a call before `open()` or after `close()`. */
export function storeClosed(): AlvariumError {
  return new AlvariumError('STORE_FAILED', 'store: is not open')
}
