// @internal: records are cut and altered at any byte, in pieces of a few bytes
// @node-only: it uses files

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { carve } from '../../dist/transport/streams/outbox/carve.js'
import { FilePieces, type RandomAccess } from '../../dist/transport/streams/outbox/pieces.js'
import { MAGIC, optionBytes, writeRecord } from '../../dist/transport/streams/outbox/record.js'
import { concat } from '../support/bytes.js'
import { overlappingHeads } from '../support/forged-heads.js'
import { newPlace } from '../support/places.js'

const PIECE = 256 * 1024
const options = optionBytes({})

const recordOf = (number: number, length: number) =>
  writeRecord({ number, message: new Uint8Array(length).fill(number), options, storedAt: number, end: 1 })

async function inFile(bytes: Uint8Array): Promise<FilePieces> {
  const path = join(newPlace(), 'file')
  writeFileSync(path, bytes)
  const file = (await FilePieces.open(path)) as FilePieces
  onTestFinished(() => file.close())
  return file
}

async function carved(pieces: RandomAccess): Promise<[number, number, number][]> {
  const found: [number, number, number][] = []
  for await (const { number, at, length } of carve(pieces)) found.push([number, at, length])
  return found
}

describe('carve(), which searches a damaged outbox file for records,', () => {
  const record = recordOf(7, 100)

  it('finds records at any offset, even across the boundaries of the pieces that it reads', async () => {
    for (let before = PIECE - record.length - 2; before <= PIECE + 2; before++) {
      const bytes = concat(new Uint8Array(before), record, record, new Uint8Array(3))
      const expected = [0, record.length].map((at) => [7, before + at, record.length])
      expect(await carved(await inFile(bytes))).toEqual(expected)
    }
  })

  it('finds records that are longer than the pieces that it reads', async () => {
    const long = recordOf(8, 3 * PIECE)
    const bytes = concat(new Uint8Array(1000), long, record)
    expect(await carved(await inFile(bytes))).toEqual([
      [8, 1000, long.length],
      [7, 1000 + long.length, record.length],
    ])
  })

  it('finds a record after bytes that only look like the beginning of a record', async () => {
    const heads = [0, 39, 40, 5000, 100_000, 0xffffffff].map((length) => {
      const head = recordOf(9, 0).slice()
      new DataView(head.buffer).setUint32(8, length, true)
      return head.slice(0, 40)
    })
    const bytes = concat(MAGIC, MAGIC, ...heads, record, MAGIC)
    expect((await carved(await inFile(bytes))).map(([number]) => number)).toEqual([7])
  })

  it('finds no record that is altered or truncated', async () => {
    for (const at of [4, 9, 20, 30, 60, record.length - 1]) {
      const bytes = record.slice()
      bytes[at] = (bytes[at] ?? 0) ^ 1
      expect(await carved(await inFile(bytes))).toEqual([])
    }
    expect(await carved(await inFile(record.slice(0, -1)))).toEqual([])
    expect(await carved(await inFile(new Uint8Array()))).toEqual([])
    expect(await carved(await inFile(new Uint8Array(5)))).toEqual([])
  })
})

describe('overlapping record beginnings in a forged outbox file', () => {
  /** Returns bytes in memory, with a count of the bytes that were read. */
  function counting(bytes: Uint8Array): RandomAccess & { seen: number } {
    const pieces = {
      size: bytes.length,
      seen: 0,
      from: async (at: number, least: number) => {
        const piece = bytes.subarray(at, at + Math.max(least, 1024))
        pieces.seen += piece.length
        return piece
      },
    }
    return pieces
  }

  // claim: threats-61, delivery-38
  it.each([20_000, 100_000, 500_000])(
    'cause reads in proportion to the length of the file, here %i bytes',
    async (size) => {
      const pieces = counting(overlappingHeads(size))
      expect(await carved(pieces)).toEqual([])
      // The bound: eight times the size in failed checksums, and a piece for each.
      expect(pieces.seen).toBeLessThan(40 * size)
    },
  )

  it('are reported as skipped bytes, and prevent at most one later record from being found', async () => {
    const records = Array.from({ length: 50 }, (_, at) => recordOf(at + 1, 400))
    const bytes = concat(overlappingHeads(200_000), ...records)
    new DataView(bytes.buffer).setUint32(8, bytes.length, true)
    const [found, passedOver] = [[] as number[], vi.fn()]
    for await (const { number } of carve(counting(bytes), passedOver)) found.push(number)
    expect(found.length).toBeGreaterThanOrEqual(49)
    expect(passedOver.mock.calls.length).toBeGreaterThan(10_000)
  })

  it('do not hide a record that is as long as the file', async () => {
    const bytes = recordOf(1, 300_000)
    expect(await carved(counting(bytes))).toEqual([[1, 0, bytes.length]])
  })
})

it('a file of outbox records is read in pieces of limited length', async () => {
  const file = await inFile(new Uint8Array(3 * PIECE))
  for (const at of [0, 1, PIECE, 2 * PIECE + 5]) {
    const length = (await file.from(at, 1)).length
    expect(length).toBeGreaterThan(0)
    expect(length).toBeLessThanOrEqual(PIECE)
  }
})
