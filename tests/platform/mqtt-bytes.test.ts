// @node-only: it compares with Node's Buffer

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Buffer as Own } from '../../js/build/mqtt/bytes.js'

/** Returns the outcome and the bytes of one write: by our class, and by Node's `Buffer`. */
const written = (how: (to: Buffer) => unknown) => {
  const [own, nodes] = [Own.alloc(12), Buffer.alloc(12)]
  const returned = [how(own as Buffer), how(nodes)]
  return [
    [returned[0], [...own]],
    [returned[1], [...nodes]],
  ]
}

describe("the replacement of Node's Buffer for mqtt.js in pages", () => {
  it('encodes any text, completely or as far as there is room', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', 'é', '€', '😀', '\ud800', '\udfff'), maxLength: 12 }),
        fc.nat(12),
        (text, at) => {
          expect([...Own.from(text)]).toEqual([...Buffer.from(text)])
          expect(Own.byteLength(text)).toBe(Buffer.byteLength(text))
          const [own, nodes] = written((to) => to.write(text, at))
          expect(own).toEqual(nodes)
        },
      ),
    )
  })

  it('decodes any bytes as text, including a byte order mark', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 12 }), fc.nat(12), fc.nat(12), (bytes, from, to) => {
        expect(Own.from(bytes).toString('utf8', from, to)).toBe(Buffer.from(bytes).toString('utf8', from, to))
      }),
    )
    expect(Own.from([0xef, 0xbb, 0xbf, 0x61]).toString()).toBe('\ufeffa')
  })

  it('reads and writes big-endian integers', () => {
    const numbers = fc.record({ 8: fc.nat(0xff), 16: fc.nat(0xffff), 32: fc.nat(0xffffffff), at: fc.nat(8) })
    fc.assert(
      fc.property(numbers, ({ 8: short, 16: middle, 32: long, at }) => {
        const [own, nodes] = written((to) => {
          to.writeUInt32BE(long, at)
          const read = to.readUInt32BE(at)
          to.writeUInt16BE(middle, at)
          to.writeUInt8(short, at + 2)
          return [read, to.readUInt16BE(at), to.readUInt8(at + 2)].filter((one) => one !== undefined)
        })
        expect(own).toEqual(nodes)
      }),
    )
  })

  it('throws a RangeError for reads after its end, as the parser requires for truncated packets', () => {
    for (const bytes of [Own.from([1, 2, 3]), Buffer.from([1, 2, 3])]) {
      expect(() => bytes.readUInt8(3)).toThrow(RangeError)
      expect(() => bytes.readUInt16BE(2)).toThrow(RangeError)
      expect(() => bytes.readUInt32BE(0)).toThrow(RangeError)
    }
  })

  it('copies a part of its bytes to another buffer, as far as there is room', () => {
    const source = [1, 2, 3, 4, 5, 6, 7, 8, 9]
    fc.assert(
      fc.property(fc.nat(12), fc.nat(9), fc.nat(12), (at, from, to) => {
        const [own, nodes] = written((target) =>
          (target instanceof Own ? Own.from(source) : Buffer.from(source)).copy(target, at, from, to),
        )
        expect(own).toEqual(nodes)
      }),
    )
  })

  it('shares memory with its slices and with an ArrayBuffer, and copies other sources', () => {
    const bytes = Own.from([1, 2, 3, 4])
    bytes.slice(1, 3)[0] = 7
    expect([...bytes]).toEqual([1, 7, 3, 4])
    expect([...Own.from(bytes.buffer, 1, 2)]).toEqual([7, 3])
    Own.from(bytes)[0] = 9
    expect(bytes[0]).toBe(1)
    expect([...Own.concat([bytes, Own.from('a')])]).toEqual([1, 7, 3, 4, 97])
    expect(['slice', 'subarray'].map((how) => Own.isBuffer(bytes[how as 'slice'](1)))).toEqual([true, true])
    expect(Own.isBuffer(Uint8Array.of(1))).toBe(false)
  })
})
