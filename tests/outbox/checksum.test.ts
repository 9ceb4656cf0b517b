// @internal: a table of known checksums
import { describe, expect, it } from 'vitest'
import { crc32, crc32c } from '../../dist/base/bytes/checksum.js'
import { utf8 } from '../support/bytes.js'

const times = (count: number, byte: (at: number) => number) =>
  Uint8Array.from({ length: count }, (_, at) => byte(at))

/** Bit by bit, as the polynomial has it. */
function slowly(polynomial: number, bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ polynomial : crc >>> 1
  }
  return ~crc >>> 0
}

describe('CRC-32C', () => {
  // An iSCSI read command, the last of RFC 3720's.
  const read = times(48, () => 0)
  read.set([0x01, 0xc0], 0)
  read.set([0x14], 16)
  read.set([0x04, 0x00], 22)
  read.set([0x14], 27)
  read.set([0x18], 31)
  read.set([0x28], 32)
  read.set([0x02], 40)

  it.each([
    ['32 zeros', times(32, () => 0), 0x8a9136aa],
    ['32 ones', times(32, () => 0xff), 0x62a8ab43],
    ['0 to 31', times(32, (at) => at), 0x46dd794e],
    ['31 to 0', times(32, (at) => 31 - at), 0x113fdb5c],
    ['a read command', read, 0xd9963a56],
  ])('is what RFC 3720, B.4, says of %s', (_, bytes, expected) => {
    expect(crc32c(bytes)).toBe(expected)
  })

  it('is that of the check string of the catalogues', () => {
    expect(crc32c(utf8('123456789'))).toBe(0xe3069283)
  })
})

describe('CRC-32', () => {
  it('is that of the check string of the catalogues, and of nothing', () => {
    expect([crc32(utf8('123456789')), crc32(utf8(''))]).toEqual([0xcbf43926, 0])
  })
})

describe.each([
  ['CRC-32', crc32, 0xedb88320],
  ['CRC-32C', crc32c, 0x82f63b78],
] as const)('%s', (_, checksum, polynomial) => {
  const bytes = times(100, (at) => (at * 89 + 7) & 255)

  it('is that of its polynomial for any length, from any place to any other', () => {
    for (let start = 0; start < 9; start++) {
      for (let end = start; end <= 40; end++) {
        expect(checksum(bytes, start, end)).toBe(slowly(polynomial, bytes.subarray(start, end)))
      }
    }
  })

  it('is the same in two parts as in one', () => {
    for (let middle = 0; middle <= bytes.length; middle++) {
      const first = checksum(bytes, 0, middle)
      expect(checksum(bytes, middle, bytes.length, first)).toBe(checksum(bytes))
    }
  })
})
