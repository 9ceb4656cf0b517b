// @internal: a table of known checksums
import { describe, expect, it } from 'vitest'
import { crc32 } from '../../dist/foundation/base/bytes/checksum.js'
import { utf8 } from '../support/bytes.js'

const times = (count: number, byte: (at: number) => number) =>
  Uint8Array.from({ length: count }, (_, at) => byte(at))

/** Computes the checksum bit by bit, from the polynomial. */
function slowly(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  return ~crc >>> 0
}

describe('CRC-32', () => {
  it('equals the published check value, and is 0 for no bytes', () => {
    expect([crc32(utf8('123456789')), crc32(utf8(''))]).toEqual([0xcbf43926, 0])
  })

  const bytes = times(100, (at) => (at * 89 + 7) & 255)

  it('equals the remainder of the division by its polynomial for any range of bytes', () => {
    for (let start = 0; start < 9; start++) {
      for (let end = start; end <= 40; end++) {
        expect(crc32(bytes, start, end)).toBe(slowly(bytes.subarray(start, end)))
      }
    }
  })

  it('is the same over two successive parts as over the whole', () => {
    for (let middle = 0; middle <= bytes.length; middle++) {
      const first = crc32(bytes, 0, middle)
      expect(crc32(bytes, middle, bytes.length, first)).toBe(crc32(bytes))
    }
  })
})
