// @internal: records of three bytes cross limits that readRecords has at 16 MiB
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CsvRecords } from '../../dist/evidence/records/csv.js'
import { JsonValues } from '../../dist/evidence/records/json-values.js'
import { LengthPrefixedRecords } from '../../dist/evidence/records/length-prefixed.js'
import type { Splitter } from '../../dist/evidence/records/splitter.js'
import { ChunkSplitter, itemsOf, LineSplitter } from '../../dist/evidence/records/splitter.js'
import { countedTurns } from '../support/turns.js'

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Returns a splitter's items for a text in pieces of this size; undefined for an item that was too long or cut off. */
function split(splitter: Splitter, text: string, size: number): (string | undefined)[] {
  const bytes = encoder.encode(text)
  const items = []
  for (let at = 0; at < bytes.length; at += size) items.push(...splitter.add(bytes.subarray(at, at + size)))
  items.push(...splitter.end())
  return items.map(({ bytes }) => bytes && decoder.decode(bytes))
}

async function* only(piece: Uint8Array) {
  yield piece
}

const word = (characters: string) =>
  fc.string({ unit: fc.constantFrom(...characters), minLength: 1, maxLength: 9 })
const pieceSize = fc.integer({ min: 1, max: 12 })

describe('the reader of records, from chunks of any length,', () => {
  it('yields the items of a JSON array', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.boolean(), pieceSize, (values, isWide, size) => {
        const items = values.map((value) => JSON.stringify(value))
        const text = isWide ? ` [ ${items.join(' ,\n ')} ]\n` : `[${items.join()}]`
        expect(split(new JsonValues(1_000_000), text, size)).toEqual(items)
      }),
    )
  })

  it('yields JSON objects that follow each other', () => {
    fc.assert(
      fc.property(
        fc.array(fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 }), {
          minLength: 1,
        }),
        pieceSize,
        (values, size) => {
          const items = values.map((value) => JSON.stringify(value, null, 2))
          expect(split(new JsonValues(1_000_000), items.join('\n'), size)).toEqual(items)
        },
      ),
    )
  })

  it('yields length-prefixed records, empty ones too', () => {
    fc.assert(
      fc.property(fc.array(word('ab"'), { maxLength: 5 }), pieceSize, (texts, size) => {
        const records = ['', ...texts]
        const text = records.map((record) => `\0\0\0${String.fromCharCode(record.length)}${record}`).join('')
        expect(split(new LengthPrefixedRecords(9), text, size)).toEqual(records)
        expect(split(new LengthPrefixedRecords(9), `${text}\0`, size)).toEqual([...records, undefined])
      }),
    )
  })

  it('yields the lines of a text, except empty ones', () => {
    fc.assert(
      fc.property(fc.array(word('ab,"')), fc.constantFrom('\n', '\r\n'), pieceSize, (lines, end, size) => {
        expect(split(new LineSplitter(1000), lines.join(end + end), size)).toEqual(lines)
      }),
    )
  })

  // claim: records-14
  it('yields the records of CSV without the header, even if a field contains separators or line breaks', () => {
    const field = word('ab"\n,').map((text) => `"${text.replaceAll('"', '""')}"`)
    fc.assert(
      fc.property(fc.array(fc.array(field, { minLength: 1 })), pieceSize, (rows, size) => {
        const records = rows.map((fields) => fields.join())
        expect(split(new CsvRecords(1000), ['head', ...records].join('\r\n'), size)).toEqual(records)
      }),
    )
  })

  it('yields no records for empty lines, but counts these lines', () => {
    const lines = [new LineSplitter(100), new CsvRecords(100)].map((splitter) => {
      const items = [
        ...splitter.add(encoder.encode('\n\r\nhead\n\n \n')),
        ...splitter.add(encoder.encode('\n1')),
      ]
      return [...items, ...splitter.end()].map(({ line }) => line)
    })
    expect(lines).toEqual([[3, 7], [7]])
  })

  it('yields a record of empty fields for a line of tabs, as for a line of commas', () => {
    const rows = ['1,2', ',', '3,4']
    for (const separator of [',', '\t']) {
      const lines = ['', 'a,b', ...rows].map((row) => row.replaceAll(',', separator))
      expect(split(new CsvRecords(100), `${lines.join('\n')}\n \n`, 1)).toEqual(lines.slice(2))
    }
  })

  it('does not block the event loop, even if all input arrives at once', async () => {
    const turns = await countedTurns(1)
    const rows = 200_000
    let most = 0
    for await (const items of itemsOf(only(encoder.encode('12345\n'.repeat(rows))), new LineSplitter(100)))
      most = Math.max(most, items.length)
    turns.end()
    expect(most).toBeLessThan(rows / 10)
    expect(turns.count).toBeGreaterThan(1)
  })

  it('yields chunks of the given size', () => {
    fc.assert(
      fc.property(word('abc'), fc.integer({ min: 1, max: 9 }), pieceSize, (text, length, size) => {
        expect(split(new ChunkSplitter(length), text, size)).toEqual(
          text.match(new RegExp(`.{1,${length}}`, 'g')) ?? [],
        )
      }),
    )
  })

  it('yields an item with undefined bytes in place of a record that is too long', () => {
    expect(split(new LineSplitter(3), 'abc\nabcd\nabc', 2)).toEqual(['abc', undefined, 'abc'])
    expect(split(new CsvRecords(3), 'hea\nabc\n"ab"\nabcde\nabc', 2)).toEqual([
      'abc',
      undefined,
      undefined,
      'abc',
    ])
    expect(split(new JsonValues(3), '[123,1234,"a"]', 2)).toEqual(['123', undefined, '"a"'])
  })

  it('reports once that a record is too long, before the record has ended', () => {
    const told = (splitter: Splitter, ...pieces: string[]) =>
      pieces.map((piece) =>
        splitter.add(encoder.encode(piece)).map(({ bytes }) => bytes && decoder.decode(bytes)),
      )
    expect(told(new LineSplitter(3), 'ab', 'cd', 'ef', '\nabc\n')).toEqual([[], [undefined], [], ['abc']])
    expect(told(new CsvRecords(3), 'hea\nab', 'cd', 'ef', '\nabc\n')).toEqual([[], [undefined], [], ['abc']])
  })

  it('refuses CSV with a header that is too long', () => {
    const faultOf = (text: string) => new CsvRecords(5).add(encoder.encode(text)).at(-1)?.fault
    for (const text of ['header', 'header\n1\n'])
      expect(faultOf(text)).toMatchObject({ expected: 'a header of at most 5 bytes', got: 'a longer header' })
    expect(faultOf('head\n1,"abc\nd')).toMatchObject({
      line: 2,
      column: 3,
      got: 'a quotation mark that is open for 5 bytes',
    })
  })

  it('yields an item with undefined bytes in place of a truncated JSON record', () => {
    for (const text of ['[1,', '[1,{"a":1', '[1', '{"a"', '"a']) {
      expect(split(new JsonValues(100), text, 100).at(-1)).toBeUndefined()
    }
  })

  it('yields an item with undefined bytes in place of all JSON values after the end of an array', () => {
    expect(split(new JsonValues(100), '[1] {"a":2} [3]', 4)).toEqual(['1', undefined])
  })
})
