/**
 * Returns the CRC-32 (ISO 3309, as in zlib and PNG) of the bytes from `start` to `end`. A CRC detects accidental
 * changes, not attacks. `before` is the CRC of the bytes that precede `start`.
 *
 * The function reads four bytes at a time, with four tables of 256 entries that it makes on first use.
 */
export function crc32(bytes: Uint8Array, start = 0, end = bytes.length, before = 0): number {
  tables ??= tablesOf(0xedb88320)
  let crc = ~before
  let at = start
  for (const last = end - 3; at < last; at += 4) {
    crc ^=
      byte(bytes, at) | (byte(bytes, at + 1) << 8) | (byte(bytes, at + 2) << 16) | (byte(bytes, at + 3) << 24)
    crc =
      entry(tables, 768 + (crc & 255)) ^
      entry(tables, 512 + ((crc >>> 8) & 255)) ^
      entry(tables, 256 + ((crc >>> 16) & 255)) ^
      entry(tables, crc >>> 24)
  }
  for (; at < end; at++) crc = entry(tables, (crc ^ byte(bytes, at)) & 255) ^ (crc >>> 8)
  return ~crc >>> 0
}

let tables: Int32Array | undefined

// Callers pass only indexes within bounds, so the element is never undefined.
const byte = (bytes: Uint8Array, at: number) => bytes[at] as number
const entry = (tables: Int32Array, at: number) => tables[at] as number

function tablesOf(polynomial: number): Int32Array {
  const tables = new Int32Array(4 * 256)
  for (let value = 0; value < 256; value++) {
    let crc = value
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ polynomial : crc >>> 1
    tables[value] = crc
  }
  for (let at = 256; at < tables.length; at++) {
    const before = tables[at - 256] as number
    tables[at] = (before >>> 8) ^ (tables[before & 255] as number)
  }
  return tables
}
