import { AlvariumError, expected } from '../../base/errors.js'

/** A record as it is stored, with its number. */
export interface StoredRecord {
  readonly number: number
  readonly bytes: Uint8Array
}

/** What is there when a store is opened. */
export interface OpenedStore {
  /** The numbers of the first and of the last record; absent when there is none. */
  readonly first?: number | undefined
  readonly last?: number | undefined
  /** What {@link OutboxStore.mark} was last given. */
  readonly mark?: Uint8Array | undefined
  /** True if the mark was damaged, and a copy of it was read. It is logged. */
  readonly isMarkDamaged?: boolean | undefined
  /** How many entries are not records. They are logged once. */
  readonly foreign?: number | undefined
  /** In how many places of damaged files a record may begin that was not looked for, as there were too many. They are logged once. */
  readonly unchecked?: number | undefined
}

/** @internal What an opened store has, without empty members. */
export function openedStore(found: {
  readonly numbers: readonly number[]
  readonly mark: Uint8Array | undefined
  readonly isMarkDamaged?: boolean
  readonly foreign: number
  readonly unchecked?: number
}): OpenedStore | undefined {
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
 * Where an {@link outbox} keeps its records: numbered, in order, from some number on. Make your own over whatever keeps
 * bytes durably; calls of one method never overlap, calls of different methods may.
 *
 * Each record has a checksum: what the store alters is reported in an event `damaged`, and so are numbers that are missing between
 * two others. What is missing at either end can be told by a store that has `mark`. What it rejects with becomes the cause of
 * an `AlvariumError` `STORE_FAILED`, unless it is an `AlvariumError` itself.
 */
export interface OutboxStore {
  /**
   * Opens the store for this owner alone; rejects if another has it open (with `STORE_LOCKED`).
   *
   * @returns what is there, nothing when there is none
   */
  open(): Promise<OpenedStore | undefined>
  /**
   * Resolves when the records would survive a power cut: all of them, or, when it rejects, as good as none. They have
   * the numbers from `first` on, and replace what is there under these numbers.
   */
  append(first: number, records: readonly Uint8Array[]): Promise<void>
  /**
   * At most so many records from this number on, in order. Rejects with `STORE_DAMAGED` when the first of them can never be
   * read again; with anything else, it is asked again later.
   */
  read(from: number, most: number): Promise<StoredRecord[]>
  /** Deletes every record up to and including this number. */
  deleteThrough(number: number): Promise<void>
  /** Releases the store; also after `open()` has failed. */
  close(): Promise<void>
  /** The numbers of all records, in order: then what is missing is known at once, and not only when its turn comes. */
  numbers?(): Promise<number[]>
  /**
   * Keeps a few bytes apart from the records, so that what happens to the one does not happen to the other. They have to survive
   * the process. A power cut may leave older ones, but not older ones than records that were deleted later. As long as it rejects,
   * nothing is deleted.
   */
  mark?(bytes: Uint8Array): Promise<void>
  /**
   * For a few bytes that the owner of the outbox wants at the next start, such as the run that its checkpoints were of. Without it, nothing
   * is kept.
   */
  readonly kept?: KeptStore
  /** For messages that are set aside. Without it they are not, but sent again and again, behind the others. */
  readonly aside?: AsideStore
}

/** Where an {@link OutboxStore} keeps a few bytes by name: lower-case letters. It is used while the store is open. */
export interface KeptStore {
  /** Nothing when there is none. */
  get(name: string): Promise<Uint8Array | undefined>
  /** Replaces what is there: when the process is killed meanwhile, there is the one or the other. */
  put(name: string, bytes: Uint8Array): Promise<void>
}

/** Where an {@link OutboxStore} keeps what is set aside, by number. It is used while the store is open. */
export interface AsideStore {
  /** The numbers of all records that are there, in any order. */
  numbers(): Promise<number[]>
  /** Nothing when there is none. */
  read(number: number): Promise<Uint8Array | undefined>
  /** Resolves when the record would survive a power cut. */
  put(number: number, record: Uint8Array): Promise<void>
  /** Deletes the record. Does nothing if there is none. */
  delete(number: number): Promise<void>
}

/** What each method is expected to do, for the text of an error. */
const METHODS = {
  ...{ open: 'to open', append: 'to store', read: 'what was stored', deleteThrough: 'to forget' },
  ...{ close: 'to close', numbers: 'all numbers', mark: 'to keep the mark' },
}
const ASIDE_METHODS = {
  ...{ numbers: 'all numbers', read: 'what was set aside', put: 'to store', delete: 'to forget' },
}

const KEPT_METHODS = { get: 'what was kept', put: 'to keep' }

/** @internal The store, whose rejections become errors of ours. */
export function checked(store: OutboxStore): OutboxStore {
  const { aside, kept } = store
  return {
    ...guarded(store, METHODS, 'store'),
    ...(kept && { kept: guarded(kept, KEPT_METHODS, 'store.kept') }),
    ...(aside && { aside: guarded(aside, ASIDE_METHODS, 'store.aside') }),
  }
}

/** The methods that the object has; calls of one wait for each other. */
function guarded<T extends object>(object: T, methods: Record<string, string>, field: string): T {
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

/** @internal A call came before `open()`, or after `close()`. */
export function storeClosed(): AlvariumError {
  return expected('STORE_FAILED', 'store', 'one that is open', 'one that is closed')
}
