/** A record as it is stored, with its number. */
export interface StoredRecord {
  readonly number: number
  readonly bytes: Uint8Array
}

/**
 * Where an {@link outbox} keeps its records: numbered, in order, from some number on. Make your own over whatever keeps
 * bytes durably; no two calls of one method are ever under way at a time, and calls of different methods may be.
 *
 * What it rejects with becomes the cause of an `AlvariumError` `STORE_FAILED`, unless it is an `AlvariumError` itself.
 */
export interface OutboxStore {
  /**
   * Takes hold of the place, for this owner alone; rejects when another one has it (with `STORE_LOCKED`).
   *
   * @returns the numbers of the first and of the last record that is there, nothing when there is none
   */
  open(): Promise<{ readonly first: number; readonly last: number } | undefined>
  /**
   * Resolves when the records would survive a power cut: all of them, or, when it rejects, as good as none. They have
   * the numbers from `first` on, and replace what is there under these numbers.
   */
  append(first: number, records: readonly Uint8Array[]): Promise<void>
  /** At most so many records from this number on, in order. */
  read(from: number, most: number): Promise<StoredRecord[]>
  /** Forgets every record up to and including this number. */
  deleteThrough(number: number): Promise<void>
  /** Lets go of the place. */
  close(): Promise<void>
}
