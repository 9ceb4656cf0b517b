// @firefox: a decoder of texts of its own
import { generateKey, memory, openSdk, source } from 'alvarium-sdk'
import { check, type RecordFormat, readRecords } from 'alvarium-sdk/records'
import { describe, expect, it } from 'vitest'

const { signingKey, verifyingKey } = generateKey()

const latin1 = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0))

/** Returns a text in UTF-16, as Excel ("Unicode text") and PowerShell write it: low bytes first, after a byte order mark. */
function utf16(text: string, { isLow = true, mark = '\ufeff' } = {}): Uint8Array {
  const view = new DataView(new ArrayBuffer(2 * (mark + text).length))
  for (let at = 0; at < view.byteLength / 2; at++) view.setUint16(2 * at, (mark + text).charCodeAt(at), isLow)
  return new Uint8Array(view.buffer)
}

async function recordsIn(pieces: readonly Uint8Array[], format: RecordFormat, by?: string) {
  const records = []
  for await (const record of readRecords(pieces, { format, name: 'sales.csv', by })) records.push(record)
  return records
}

/** Returns the findings in a CSV file that was signed in another state. */
async function found(before: string, after: string, by?: string) {
  const stream = memory()
  const sdk = await openSdk({ signingKey, annotators: [source()], stream })
  await sdk.createMany((await recordsIn([latin1(before)], 'csv')).map(({ bytes }) => bytes))
  await sdk.close()
  const records = readRecords([latin1(after)], { format: 'csv', by })
  const findings = []
  for await (const finding of check(records, stream.messages, { keyring: [verifyingKey] }))
    findings.push('record' in finding ? `${finding.kind} ${finding.record.line}` : finding.kind)
  return findings
}

describe('a file in a single-byte encoding, such as Latin-1 or Windows-1252,', () => {
  const rows = 'id,name\n1,Ren\xe9\n2,Zo\xeb\n3,5 \x80\n'

  // claim: records-2
  it('is compared byte by byte, so that an é that became an è is found', async () => {
    expect(await found(rows, rows)).toEqual([])
    expect(await found(rows, rows.replace('\xe9', '\xe8'))).toEqual(['altered 2'])
    expect(await found(rows, rows.replace('\x80', '\x81'))).toEqual(['altered 4'])
  })

  it('has different records even if they differ only in bytes that are not UTF-8', async () => {
    const bytes = Array.from({ length: 128 }, (_, at) => String.fromCharCode(0x80 + at))
    const records = await recordsIn([latin1(`id\n${bytes.join('\n')}\n`)], 'csv', 'id')
    expect(new Set(records.map((record) => record.bytes.join())).size).toBe(128)
    expect(records.map(({ by }) => by)).toEqual(bytes)
  })

  // claim: records-4
  it("is compared by a column even if the column's name and values are not UTF-8", async () => {
    const text = 'na\xefve\na\xe8\na\xe9\na\xea\n'
    expect(await found(text, 'na\xefve\na\xea\na\xe9\na\xe8\n', 'naïve')).toEqual([])
    expect(await found(text, 'na\xefve\na\xea\na\xe8\na\xe8\n', 'naïve')).toEqual(['altered 4'])
  })

  it('has a value decoded as UTF-8 if the value is valid UTF-8, whatever the other fields are', async () => {
    const utf8 = new TextEncoder().encode('id,name\né,')
    const [record] = await recordsIn([utf8, latin1('\xe9\n')], 'csv', 'id')
    expect(record?.by).toBe('é')
  })
})

describe('a file in UTF-16', () => {
  const text = 'id,name\r\n1,René\r\n2,Zoë\r\n'
  const ways = {
    'little-endian': utf16(text),
    'big-endian': utf16(text, { isLow: false }),
    'little-endian, without a byte order mark': utf16(text, { mark: '' }),
    'big-endian, without a byte order mark': utf16(text, { isLow: false, mark: '' }),
  }

  // claim: records-3
  it.each(Object.entries(ways))('is refused with a hint to convert it: %s', async (_, bytes) => {
    const expected = {
      code: 'PAYLOAD_INVALID',
      message: expect.stringMatching(
        /^sales\.csv: expected text in UTF-8, .* got UTF-16: convert it \(iconv/,
      ),
    }
    for (const format of ['csv', 'lines', 'json'] as const) {
      await expect(recordsIn([bytes], format)).rejects.toMatchObject(expected)
      const pieces = Array.from(bytes, (byte) => Uint8Array.of(byte))
      await expect(recordsIn(pieces, format)).rejects.toMatchObject(expected)
    }
  })

  it('is accepted as one whole record, and in chunks of bytes', async () => {
    const bytes = utf16(text)
    expect((await recordsIn([bytes], 'whole')).map((record) => record.bytes)).toEqual([bytes])
    expect((await recordsIn([bytes], 'chunks')).map((record) => record.bytes)).toEqual([bytes])
  })
})
