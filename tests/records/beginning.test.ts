import { type RecordOptions, readRecords } from 'alvarium-sdk/records'
import { describe, expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'

const MARK = '\ufeff'

/** Returns the records of a text, which arrives in pieces of some bytes. */
async function recordsOf(text: string, options: RecordOptions, size = 1_000): Promise<string[]> {
  const bytes = utf8(text)
  const pieces: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size))
  const records: string[] = []
  for await (const record of readRecords(pieces, options))
    records.push(new TextDecoder('utf-8', { ignoreBOM: true }).decode(record.bytes))
  return records
}

describe('readRecords, with a prefix before the first record,', () => {
  // claim: records-17
  it.each([
    ['a byte order mark of JSON', 'json', `${MARK}[{"a":1},{"a":2}]`, ['{"a":1}', '{"a":2}']],
    ['a byte order mark of lines', 'lines', `${MARK}{"a":1}\r\n{"a":2}\n`, ['{"a":1}', '{"a":2}']],
    ['a byte order mark of CSV', 'csv', `${MARK}"a\nb",c\n1,2\n`, ['1,2']],
    ['a line that names the separator', 'csv', 'sep=;\r\na;b,c,d\r\n1;2\r\n', ['1;2']],
    [
      'a byte order mark and a line that names the separator',
      'csv',
      `${MARK}SEP=~\na~b\n"1~\n"~2\n`,
      ['"1~\n"~2'],
    ],
    ['a header that begins with "sep="', 'csv', 'sep=a;b\n1;2\n', ['1;2']],
    ['record separators of JSON', 'json', '\x1e{"a":1}\n\x1e[2,3]\n\x1e4\n', ['{"a":1}', '[2,3]', '4']],
    ['record separators of lines', 'lines', '\x1e{"a":1}\n\x1e[2,3]\n', ['{"a":1}', '[2,3]']],
    ['no prefix, in a text of one byte', 'lines', '1', ['1']],
    ['a byte order mark alone', 'lines', MARK, []],
    ['half of a byte order mark', 'lines', '\xef', ['\xef']],
  ] as const)('omits the prefix from the records: %s', async (_, format, text, records) => {
    for (const size of [1, 2, 3, 1_000]) expect(await recordsOf(text, { format }, size)).toEqual(records)
  })

  it('refuses a JSON text sequence with an incomplete value before a record separator', async () => {
    await expect(recordsOf('\x1e{"a":1\n\x1e{"b":2}\n', { format: 'json' })).rejects.toThrow(
      'records:2:1: expected a whole value before the next record separator',
    )
  })

  it("counts the prefix's lines, so that line numbers are those of the file", async () => {
    const text = utf8('title\nsep=;\na;b\n1;2\n3;"x"y\n')
    const read = async () => {
      const lines: unknown[] = []
      for await (const { line } of readRecords([text], { format: 'csv', headerLines: 3, delimiter: ';' }))
        lines.push(line)
      return lines
    }
    await expect(read()).rejects.toThrow('records:5:5: expected quotation marks around whole fields')
  })

  it('skips as many lines as headerLines says, and reads the column names from the last one', async () => {
    const text = 'Report of May,\n# made by hand\nid;n\n7;1\n8;2\n'
    for (const size of [1, 5, 1_000]) {
      expect(await recordsOf(text, { format: 'csv', headerLines: 3 }, size)).toEqual(['7;1', '8;2'])
      expect(await recordsOf('1,2\n3,4\n', { format: 'csv', headerLines: 0 }, size)).toEqual(['1,2', '3,4'])
      const titled = `${MARK}x\r\n\r\n1\n2\n`
      expect(await recordsOf(titled, { format: 'lines', headerLines: 2 }, size)).toEqual(['1', '2'])
    }
    const records: unknown[] = []
    for await (const { by, line } of readRecords([utf8(text)], { format: 'csv', headerLines: 3, by: 'id' }))
      records.push([by, line])
    expect(records).toEqual([
      ['7', 4],
      ['8', 5],
    ])
  })

  it('refuses invalid options, and options that do not apply to the format', async () => {
    const failing: [RecordOptions, string][] = [
      [{ format: 'json', headerLines: 1 }, 'headerLines: cannot be combined with the format json'],
      [{ format: 'lines', delimiter: ';' }, 'delimiter: cannot be combined with the format lines'],
      [{ format: 'csv', delimiter: '"' }, 'delimiter: expected'],
      [{ format: 'csv', delimiter: ';;' }, 'delimiter: expected'],
    ]
    for (const [options, text] of failing) await expect(recordsOf('a\n1\n', options)).rejects.toThrow(text)
  })

  // claim: records-18
  it('names the detected separator in the error if it does not fit the file', async () => {
    const text = 'power (kW, gross, net);"id"\n1,5;"2"\n'
    await expect(recordsOf(text, { format: 'csv' })).rejects.toThrow('a stray quotation mark (separator: ,)')
    await expect(recordsOf('a,"b"c;d\n', { format: 'csv' })).rejects.toThrow('(separator: one of ,;\\t|)')
    expect(await recordsOf(text.replace(';"id"', ';id'), { format: 'csv', delimiter: ';' })).toEqual([
      '1,5;"2"',
    ])
    await expect(recordsOf('a,b,c;id\n1;2\n', { format: 'csv', by: 'id' })).rejects.toThrow(
      '(separator: ",")',
    )
  })
})
