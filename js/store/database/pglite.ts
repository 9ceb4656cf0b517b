/**
 * Returns options for a PGlite in memory, whose data cannot survive a crash. The write-ahead log is limited to 64 MB
 * instead of 1 GB, and has no full-page images. Storing then takes 5 % less time.
 *
 * @param defaults - `PGlite.defaultStartParams`, undefined in older versions
 */
export function inMemory(defaults: readonly string[] | undefined): { startParams?: string[] } {
  return defaults === undefined
    ? {}
    : { startParams: [...defaults, ...IN_MEMORY.flatMap((one) => ['-c', one])] }
}

const IN_MEMORY = ['full_page_writes=off', 'max_wal_size=64MB', 'min_wal_size=32MB']
