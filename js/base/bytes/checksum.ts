/**
 * A checksum of the bytes from `start` on: against bits that fall over, not against attackers. `before` is that of what comes before
 * them.
 */
type Checksum = (bytes: Uint8Array, start?: number, end?: number, before?: number) => number

/** CRC-32 as of zlib and PNG (ISO 3309). */
export const crc32 = checksumBy(0xedb88320)
/** CRC-32C, as LevelDB has it (RFC 3720, 12.1). */
export const crc32c = checksumBy(0x82f63b78)

/** A checksum as LevelDB stores it: that of something that has checksums in it would be a weak one. */
export function masked(crc: number): number {
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0
}

/** With four tables of 256, which let four bytes be taken at a time; made on first use. */
function checksumBy(polynomial: number): Checksum {
  let tables: Int32Array | undefined
  return (bytes, start = 0, end = bytes.length, before = 0) => {
    tables ??= tablesOf(polynomial)
    let crc = ~before
    let at = start
    for (const last = end - 3; at < last; at += 4) {
      crc ^=
        byte(bytes, at) |
        (byte(bytes, at + 1) << 8) |
        (byte(bytes, at + 2) << 16) |
        (byte(bytes, at + 3) << 24)
      crc =
        entry(tables, 768 + (crc & 255)) ^
        entry(tables, 512 + ((crc >>> 8) & 255)) ^
        entry(tables, 256 + ((crc >>> 16) & 255)) ^
        entry(tables, crc >>> 24)
    }
    for (; at < end; at++) crc = entry(tables, (crc ^ byte(bytes, at)) & 255) ^ (crc >>> 8)
    return ~crc >>> 0
  }
}

// Indexes are within bounds.
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
