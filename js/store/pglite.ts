import { fourBits } from '../base/bytes/hex.js'

/** PostgreSQL's number of the type `bytea` (pg_type.dat). */
const BYTEA = 17

/**
 * Bytes on the way into a PGlite and out of it. By itself it makes a text of each byte, of 500 kB in a second; as they are, they take
 * two milliseconds.
 */
export const AS_BYTES = {
  serializers: { [BYTEA]: (bytes: Uint8Array) => bytes as unknown as string },
  parsers: { [BYTEA]: bytesOf },
}

/**
 * Options for a PGlite in memory, which never recovers anything. Its write-ahead log has two segments in place of a gigabyte, and no whole
 * pages: storing takes 5 % less time.
 *
 * @param defaults - `PGlite.defaultStartParams`, which older versions do not have
 */
export function inMemory(defaults: readonly string[] | undefined): { startParams?: string[] } {
  return defaults === undefined
    ? {}
    : { startParams: [...defaults, ...IN_MEMORY.flatMap((one) => ['-c', one])] }
}

const IN_MEMORY = ['full_page_writes=off', 'max_wal_size=64MB', 'min_wal_size=32MB']

/** What PostgreSQL writes for them: `\x`, and digits. */
function bytesOf(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length / 2 - 1)
  for (let at = 0; at < bytes.length; at++) {
    bytes[at] = (fourBits(text.charCodeAt(2 * at + 2)) << 4) | fourBits(text.charCodeAt(2 * at + 3))
  }
  return bytes
}

/** A PGlite, or another connection, which ignores the options. */
interface Queried {
  query(text: string, params?: unknown[], options?: object): Promise<{ readonly rows: readonly unknown[] }>
}

/** The same connection, through which bytes go as they are if it is a PGlite. */
export function withBytes(connection: Queried): Queried {
  if (!('execProtocolRaw' in connection)) return connection
  return { query: (text, params) => connection.query(text, params, AS_BYTES) }
}
