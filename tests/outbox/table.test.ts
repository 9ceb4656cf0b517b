// @internal: tables of LevelDB are altered byte by byte
// @node-only: it uses files and LevelDB

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ClassicLevel } from 'classic-level'
import { describe, expect, it, onTestFinished } from 'vitest'
import { crc32c } from '../../dist/base/bytes/checksum.js'
import { FilePieces } from '../../dist/streams/outbox/pieces.js'
import { isWholeTable } from '../../dist/streams/outbox/table.js'
import { concat, utf8 } from '../support/bytes.js'
import { newPlace } from '../support/places.js'

// Made by hand, as LevelDB's doc/table_format.md has it: blocks of entries, each with a trailer; an index of them; a footer.

const varint = (number: number): number[] =>
  number < 128 ? [number] : [(number & 127) | 128, ...varint(number >> 7)]
const fixed = (number: number) => new Uint8Array(new Uint32Array([number]).buffer)

/** An entry that shares nothing with the key before it. */
function entry(key: string, value: Uint8Array): Uint8Array {
  return concat(Uint8Array.from([0, ...varint(key.length), ...varint(value.length)]), utf8(key), value)
}

/** Entries, where one of them begins, and how many such places there are. */
const block = (...entries: Uint8Array[]) => concat(...entries, fixed(0), fixed(1))

/** The type of compression (none), and a masked checksum of block and type. */
function trailed(bytes: Uint8Array): Uint8Array {
  const typed = concat(bytes, Uint8Array.of(0))
  const crc = crc32c(typed)
  return concat(typed, fixed((((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0))
}

const MAGIC = Uint8Array.of(0x57, 0xfb, 0x80, 0x8b, 0x24, 0x75, 0x47, 0xdb)

function table({
  index = (handles: Uint8Array[]) => block(...handles.map((handle, at) => entry(`k${at}`, handle))),
} = {}) {
  const parts: Uint8Array[] = []
  let length = 0
  const add = (bytes: Uint8Array) => {
    const handle = Uint8Array.from([...varint(length), ...varint(bytes.length)])
    const part = trailed(bytes)
    parts.push(part)
    length += part.length
    return handle
  }
  const handles = [
    add(block(entry('a', utf8('one')), entry('b', utf8('two')))),
    add(block(entry('c', utf8('x'.repeat(300))))),
  ]
  const [others, list] = [add(block()), add(index(handles))]
  const places = concat(others, list)
  const footer = concat(places, new Uint8Array(40 - places.length), MAGIC)
  return concat(...parts, footer)
}

async function isWhole(bytes: Uint8Array): Promise<boolean> {
  const path = join(newPlace(), 'table')
  writeFileSync(path, bytes)
  const file = await FilePieces.open(path)
  onTestFinished(() => file?.close())
  return await isWholeTable(file as FilePieces)
}

describe('a table of LevelDB’s', () => {
  it('is whole as it was written', async () => {
    expect(await isWhole(table())).toBe(true)
  })

  it('is not when any byte of it is another, but for what nobody reads', async () => {
    const whole = table()
    // Each of its two places takes three bytes.
    const spare = whole.length - 48 + 6
    for (let at = 0; at < whole.length; at++) {
      const bytes = whole.slice()
      bytes[at] = (bytes[at] ?? 0) ^ 0x10
      // Between the two places and the last eight bytes, the footer is filled up.
      const isSpare = at >= spare && at < whole.length - 8
      expect([at, isSpare || !(await isWhole(bytes))]).toEqual([at, true])
    }
  })

  it('is not when it ends anywhere earlier, or begins later', async () => {
    const whole = table()
    for (let length = 0; length < whole.length; length += 7)
      expect(await isWhole(whole.slice(0, length))).toBe(false)
    expect(await isWhole(whole.slice(1))).toBe(false)
    expect(await isWhole(new Uint8Array(100))).toBe(false)
  })

  it.each([
    [
      'that lead behind its end',
      () => block(entry('k', Uint8Array.from([...varint(10), ...varint(1_000_000)]))),
    ],
    ['that are no numbers', () => block(entry('k', new Uint8Array(20).fill(255)))],
    ['that are cut off', () => block(entry('k', Uint8Array.of(128)))],
    ['of which there are none', () => block()],
    ['with more beginnings than bytes', () => concat(entry('k', Uint8Array.of(0, 1)), fixed(0xffffffff))],
    ['longer than they are', () => concat(Uint8Array.of(0, 1, 200, 1, 107), fixed(0), fixed(1))],
  ])('is not when its index has a right checksum and places %s', async (_, index) => {
    expect(await isWhole(table({ index }))).toBe(false)
  })

  it('is whole when LevelDB has written it, also with values of a megabyte', async () => {
    const folder = newPlace()
    const level = new ClassicLevel<string, Uint8Array>(folder, { valueEncoding: 'view', compression: false })
    for (let at = 0; at < 2000; at++) await level.put(`key ${at}`, new Uint8Array(400).fill(at))
    await level.put('large', crypto.getRandomValues(new Uint8Array(1024 * 64)))
    await level.put('larger', new Uint8Array(1024 * 1024).fill(7))
    await level.compactRange('a', 'z')
    await level.close()
    const names = readdirSync(folder).filter((name) => name.endsWith('.ldb'))
    expect(names.length).toBeGreaterThan(0)
    for (const name of names) {
      const bytes = new Uint8Array(readFileSync(join(folder, name)))
      expect(await isWhole(bytes)).toBe(true)
      bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1
      expect(await isWhole(bytes)).toBe(false)
    }
  })
})
