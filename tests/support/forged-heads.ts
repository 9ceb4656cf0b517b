const EVERY = 16

/**
 * As many heads of records as can be in so many bytes, one in the other, each of which says that its record goes to the end: what
 * looks at them all looks at the square of the bytes.
 */
export function overlappingHeads(size: number): Uint8Array {
  const bytes = new Uint8Array(size)
  const view = new DataView(bytes.buffer)
  for (let at = 0; at + EVERY <= size; at += EVERY) {
    bytes.set([2, 0x41, 0x4c, 0x56], at)
    // A checksum that does not fit; and with the next head, the number of the one before: 2^52 and more.
    view.setUint32(at + 4, 0x4330_0000, true)
    view.setUint32(at + 8, size - at, true)
  }
  return bytes
}
