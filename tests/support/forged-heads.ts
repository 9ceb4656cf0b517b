const EVERY = 16

/**
 * Returns as many overlapping heads of records as fit into so many bytes. Each says that its record goes to the end,
 * so a reader that follows all of them reads the square of the bytes.
 */
export function overlappingHeads(size: number): Uint8Array {
  const bytes = new Uint8Array(size)
  const view = new DataView(bytes.buffer)
  for (let at = 0; at + EVERY <= size; at += EVERY) {
    bytes.set([2, 0x41, 0x4c, 0x56], at)
    // An invalid checksum. It is also the high half of the record number before it, which becomes 2^52 or more.
    view.setUint32(at + 4, 0x4330_0000, true)
    view.setUint32(at + 8, size - at, true)
  }
  return bytes
}
