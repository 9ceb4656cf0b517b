import { createHash } from 'node:crypto'
import { appendFile, mkdir, readFile, truncate } from 'node:fs/promises'
import zlib, { gzipSync } from 'node:zlib'
import { classic, generateKey, memory, openSdk, source, toHex } from 'alvarium-sdk'
import { describe, expect, it } from 'vitest'
import { textOf, utf8 } from '../support/bytes.js'
import { alvarium, heldBy, withoutFolder } from './command.js'
import { signer } from './messages.js'

const MIB = 1024 * 1024
const ROWS = ['1,21.4', '2,"19.8\n"', '3,20.1', '4,20.9']
const csv = (rows: readonly string[]) => `id,celsius\n${rows.join('\n')}\n`

/** Annotates a file, and returns a function that compares the messages with a later state of the file. */
async function annotated(name: string, content: string | Uint8Array, more: readonly string[] = []) {
  const { at, key, write } = await signer()
  const path = await write(name, content)
  const messages = at('messages.ndjson')
  const ran = await alvarium(['annotate', path, '-k', at('private.key'), '-o', messages, ...more])
  expect(ran.code).toBe(0)
  const check = async (after: string | Uint8Array, options: readonly string[] = key) => {
    const { out, err, code } = await alvarium(['check', await write(name, after), messages, ...options])
    return { out: withoutFolder(out), err: withoutFolder(err), code, raw: out }
  }
  return { check, key, at, write, messages }
}

async function openSigned(options: object) {
  const signingKey = generateKey().signingKey
  const sdk = await openSdk({ signingKey, annotators: [source()], stream: memory(), ...options })
  return sdk.create(utf8('5,22.0'))
}

describe('alvarium check', () => {
  it('lists the first 1,000 messages that do not verify, and counts the others', async () => {
    const { check, write, key } = await annotated('readings.csv', csv(ROWS))
    const garbage = await write('garbage.ndjson', '{"messageType":"x"}\n'.repeat(1_003))
    const { err, code } = await check(csv(ROWS), [garbage, ...key])
    const rows = err.trimEnd().split('\n')
    expect([rows.length, rows.at(-1), code]).toEqual([1_001, '  3 more: alvarium verify shows all', 1])
  })

  it('lists at most 10 findings if every record was altered, and at most 1,000 if any record is unaltered', async () => {
    const rows = Array.from({ length: 1_200 }, (_, at) => `${at}\n`)
    const { check } = await annotated('x.txt', rows.join(''))
    const other = await check(rows.map((row) => `other ${row}`).join(''))
    expect([other.code, other.out.split('\n').length]).toEqual([1, 14])
    expect(other.out).toContain('  1,190 more: --json shows all')
    const one = await check(['0\n', ...rows.slice(1).map((row) => `other ${row}`)].join(''))
    expect(one.out.split('\n').length).toBeGreaterThan(1_000)
  })

  it('has exit code 2 if a line or a CSV header is longer than 16 MiB', async () => {
    const { messages, key } = await annotated('readings.csv', csv(ROWS))
    const check = (format: string) => alvarium(['check', '/dev/zero', messages, ...key, '--format', format])
    expect(await check('lines')).toMatchObject({
      code: 2,
      err: 'alvarium: /dev/zero:1: expected a payload of at most 16777216 bytes, got more\n',
    })
    expect(await check('csv')).toMatchObject({
      code: 2,
      err: expect.stringContaining(
        '/dev/zero:1:1: expected a header of at most 16777216 bytes, got a longer',
      ),
    })
  })

  it('refuses a CSV file in UTF-16, and explains how to convert the file', async () => {
    const { check } = await annotated('readings.csv', csv(ROWS))
    expect(await check(Buffer.from(`\ufeff${csv(ROWS)}`, 'utf16le'))).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringMatching('readings.csv: expected text in UTF-8, .*\\(iconv'),
    })
  })

  // claim: records-19
  it("unpacks records and messages that gzip or zstd has compressed, whatever the file's name", async () => {
    const { check, write, key, at, messages } = await annotated('readings.csv', csv(ROWS))
    const plain = await readFile(messages)
    const compress = Reflect.get(zlib, 'zstdCompressSync')
    const ways: [string, (bytes: Uint8Array) => Uint8Array][] = [['gz', gzipSync]]
    if (compress) ways.push(['zst', compress])
    for (const [suffix, pack] of ways) {
      const packed = await write(`messages.${suffix}`, pack(plain))
      const rows = await write(`readings.csv.${suffix}`, pack(utf8(csv(ROWS))))
      expect(await alvarium(['check', rows, packed, ...key])).toMatchObject({ code: 0 })
      expect(await alvarium(['verify', packed, ...key])).toMatchObject({ code: 0 })
      const out = at(`again.${suffix}.ndjson`)
      await alvarium(['annotate', rows, '-k', at('private.key'), '-o', out])
      expect(await alvarium(['check', rows, out, ...key])).toMatchObject({ code: 0 })
    }
    // The command recognizes gzip by the first bytes alone.
    expect(await check(gzipSync(csv(ROWS)))).toMatchObject({ code: 0 })
    // Parts that were compressed one after the other are one file (RFC 1952 §2.2).
    const [first = '', ...others] = ROWS
    const parts = Buffer.concat([gzipSync(csv([first])), gzipSync(others.map((row) => `${row}\n`).join(''))])
    expect(await check(parts)).toMatchObject({ code: 0 })
  })

  it("accepts an --out file that annotate has compressed because of the file's name", async () => {
    const { at, write, key } = await signer()
    const rows = await write('readings.csv', csv(ROWS))
    const suffixes = 'zstdCompressSync' in zlib ? ['gz', 'zst'] : ['gz']
    for (const suffix of suffixes) {
      const out = at(`m.ndjson.${suffix}`)
      const annotate = (...more: string[]) =>
        alvarium(['annotate', rows, '-k', at('private.key'), '-o', out, '--batch', '2', ...more])
      expect(await annotate()).toMatchObject({ code: 0 })
      expect((await readFile(out)).includes('messageType')).toBe(false)
      expect(await alvarium(['check', rows, out, ...key])).toMatchObject({ code: 0 })
      expect(await annotate()).toMatchObject({
        code: 2,
        err: expect.stringContaining('which is not empty'),
      })
      expect(await annotate('--append')).toMatchObject({ code: 0 })
      const twice = await alvarium(['check', rows, out, ...key])
      expect([twice.code, twice.out]).toEqual([1, expect.stringContaining('4 twice')])
      expect(await annotate('--force')).toMatchObject({ code: 0 })
      expect(await alvarium(['check', rows, out, ...key])).toMatchObject({ code: 0 })
      expect(await annotate('--force', '--resume', at('journal'))).toMatchObject({
        code: 2,
        err: expect.stringContaining(`.${suffix}: cannot be combined with --resume`),
      })
    }
  })

  it('checks a compressed file without a text format as one payload, without unpacking it', async () => {
    const { at, key, messages } = await annotated('backup.gz', gzipSync('id\n1\n'))
    expect(await alvarium(['check', at('backup.gz'), messages, ...key])).toMatchObject({ code: 0 })
    const packed = await readFile(at('backup.gz'))
    expect((await readFile(messages)).toString()).toContain(
      createHash('sha256').update(packed).digest('hex').toUpperCase(),
    )
  })

  it('refuses a compressed file that is truncated, damaged, or unpacks to far more than its length', async () => {
    const { check, write, key } = await annotated('readings.csv', csv(ROWS))
    const packed = gzipSync(csv(ROWS))
    const damaged = Buffer.from(packed)
    damaged[12] = (damaged[12] as number) ^ 0xff
    for (const bytes of [packed.subarray(0, -9), damaged])
      expect(await check(bytes)).toMatchObject({
        code: 2,
        out: '',
        err: expect.stringContaining('a damaged file'),
      })
    const bomb = await write('messages.gz', gzipSync(Buffer.alloc(96 * MIB, `${' '.repeat(32_767)}\n`)))
    expect(await check(csv(ROWS), [bomb, ...key])).toMatchObject({
      code: 2,
      err: expect.stringContaining('a file that unpacks to at most 200 times its length, got a longer file'),
    })
  })

  // claim: records-20
  it('refuses data after the end of a gzip file, and accepts padding with zeros', async () => {
    const { check } = await annotated('readings.csv', csv(ROWS))
    const packed = gzipSync(csv(ROWS))
    const zeros = Buffer.alloc(512)
    const row = Buffer.from('9,extra\n')
    expect(await check(Buffer.concat([packed, zeros]))).toMatchObject({ code: 0 })
    for (const rest of [[row], [zeros, row], [zeros, gzipSync(row)], [Buffer.from([0x1f, 0x8b, 0, 0])]])
      expect(await check(Buffer.concat([packed, ...rest]))).toMatchObject({
        code: 2,
        err: expect.stringContaining('expected a whole file of gzip, got a damaged file'),
      })
  })

  it('hashes a long single-record file piece by piece, with the hash algorithm of its message', async () => {
    const { at, key, messages } = await annotated('model.bin', '')
    await truncate(at('model.bin'), 256 * MIB)
    const out = ['-o', messages, '--force', '--hash', 'md5']
    await alvarium(['annotate', at('model.bin'), '-k', at('private.key'), ...out])
    const check = () => alvarium(['check', at('model.bin'), messages, ...key])
    const { result, mib } = await heldBy(check)
    expect(result).toMatchObject({
      out: expect.stringMatching(/^✓ holds: 1 record: 1 as signed, none missing, /),
      code: 0,
    })
    expect(mib).toBeLessThan(128)
    await appendFile(at('model.bin'), 'x')
    expect(await check()).toMatchObject({ out: expect.stringContaining('1 altered'), code: 1 })
  })

  it('reports that no record was altered, whether records were signed alone or in a batch', async () => {
    for (const more of [[], ['--batch', '3']]) {
      const { check } = await annotated('readings.csv', csv(ROWS), more)
      expect(await check(csv(ROWS))).toMatchObject({
        out: expect.stringMatching(/^✓ holds: 4 records: 4 as signed, none missing, on the trust of \S+\n$/),
        err: '',
        code: 0,
      })
    }
  })

  // claim: records-1
  it('names the line of each altered record, and the message that was signed about the record', async () => {
    const { check, key } = await annotated('readings.csv', csv(ROWS))
    const after = csv([...ROWS.with(2, '3,2.01'), '5,0'])
    const { out, code } = await check(after)
    expect([code, out.replaceAll(/[\dA-F]{12}…/g, 'K')]).toEqual([
      1,
      [
        '✗ altered  readings.csv:5  signed in messages.ndjson:3, bundle 1, key K',
        '✗ extra    readings.csv:7  no message given is about it',
        '✗ does not hold: 5 records: 3 as signed, 1 altered, 1 extra, on the trust of public.key\n',
      ].join('\n'),
    ])
    const json = (await check(after, [...key, '--json'])).raw
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(json).toMatchObject([
      {
        finding: 'altered',
        record: { line: 5 },
        signed: { place: expect.stringMatching(/ndjson:3$/), bundle: 1 },
      },
      { finding: 'extra', record: { line: 7 }, isCopy: false },
      { finding: 'total', records: 5, signed: 4, altered: 1, extra: 1, missing: 0 },
    ])
  })

  it('finds an altered line, array item, chunk and length-prefixed record', async () => {
    const lines = await annotated('x.ndjson', '{"a":1}\n\n{"a":2}\n')
    expect((await lines.check('{"a":1}\n\n{"a":3}\n')).out).toMatch('✗ altered  x.ndjson:3  ')
    const items = await annotated('x.json', '[{"a":1},\n{"a":2}]')
    expect((await items.check('[{"a":1},\n{"a":3}]')).out).toMatch('✗ altered  x.json:2  ')
    const cut = ['--format', 'chunks', '--chunk-bytes', '4']
    const pieces = await annotated('x.bin', 'aaaabbbbcc', cut)
    expect((await pieces.check('aaaabBbbcc', [...pieces.key, ...cut])).out).toMatch(
      '✗ altered  x.bin piece 2  ',
    )
    const prefixed = ['--format', 'length-prefixed']
    const records = await annotated('x.bin', '\0\0\0\x01a\0\0\0\x01b', prefixed)
    expect((await records.check('\0\0\0\x01a\0\0\0\x01B', [...records.key, ...prefixed])).out).toMatch(
      '✗ altered  x.bin record 2  ',
    )
  })

  it('finds the altered record in a file that was sorted after signing, by the column that --by names', async () => {
    const { check, key } = await annotated('readings.csv', csv(ROWS))
    const sorted = csv([...ROWS.with(1, '2,19.9')].reverse())
    expect((await check(sorted, [...key, '--by', 'id'])).out).toMatch(
      /^✗ altered {2}readings\.csv:4 \(2\) {2}signed in messages\.ndjson:2, .*\n✗ does not hold: 4 records: 3 as signed, 1 altered, .*\n$/,
    )
    const { code, err } = await check(sorted, [...key, '--by', 'celcius'])
    expect([code, err]).toEqual([
      2,
      expect.stringContaining('--by: expected a column of the file (celsius?)'),
    ])
  })

  it('finds the altered file of a folder', async () => {
    const { at, key, write } = await signer()
    await mkdir(at('images'))
    for (const name of ['a.png', 'b.png', 'c.png']) await write(`images/${name}`, name)
    await alvarium(['annotate', at('images'), '-k', at('private.key'), '-o', at('m.ndjson')])
    await write('images/b.png', 'another')
    const { out, code } = await alvarium(['check', at('images'), at('m.ndjson'), ...key])
    expect([code, withoutFolder(out)]).toEqual([
      1,
      expect.stringMatching(
        /^✗ altered {2}images\/b\.png {2}signed in m\.ndjson:2, .*\n✗ does not hold: 3 records: 2 as signed, 1 altered, .*\n$/,
      ),
    ])
  })

  // claim: records-9
  it('has exit code 2 if the signer of the messages is unknown, and reports each message', async () => {
    const { check, write } = await annotated('readings.csv', csv(ROWS))
    const stranger = await write('stranger.key', toHex(generateKey().verifyingKey))
    const { out, err, code } = await check(csv(ROWS), ['--key', stranger])
    expect([code, out]).toEqual([
      2,
      expect.stringMatching(/^\? cannot tell: no signed records found in the messages, .*; needs the sender/),
    ])
    expect(err).toMatch(/^\? messages\.ndjson:1: SIGNER_UNKNOWN: /)
    expect(out + err).not.toContain('✗')
  })

  it.each<[string, () => Promise<{ message: Uint8Array }>]>([
    ['an unknown signer', () => openSigned({ signingKey: generateKey().signingKey })],
    ['another SDK', () => openSigned({ codec: classic({ signingKey: generateKey().signingKey }) })],
  ])('cannot tell whether a record was added, if one of the messages is from %s', async (_, signed) => {
    const { check, messages } = await annotated('readings.csv', csv(ROWS))
    const { message } = await signed()
    await appendFile(messages, `${textOf(message)}\n`)
    const { out, code } = await check(csv([...ROWS, '5,22.0']))
    expect([code, out]).toEqual([2, expect.stringMatching(/^✗ extra .*\n\? cannot tell: /)])
  })

  it('distinguishes a changed message from a changed record', async () => {
    const { check, messages, write } = await annotated('readings.csv', csv(ROWS))
    const text = await readFile(messages, 'utf8')
    await write('messages.ndjson', text.replace('"isSatisfied":true', '"isSatisfied":false'))
    const { out, err, code } = await check(csv(ROWS))
    expect([code, out, err]).toEqual([
      1,
      expect.stringMatching(
        /^✗ extra {4}readings.csv:2 {2}no message given is about it\n✗ does not hold: 4 records: 3 as signed, 1 extra, .*\n$/,
      ),
      expect.stringMatching(/^✗ messages\.ndjson:1: SIGNATURE_INVALID: .*\n$/),
    ])
  })

  it('reports a file that was annotated with a --format other than that of check', async () => {
    const { check, key } = await annotated('readings.csv', csv(ROWS))
    const { out, code } = await check(csv(ROWS), [...key, '--format', 'whole'])
    expect([code, out]).toEqual([1, expect.stringContaining('annotated with another --format?')])
  })

  it('refuses to read more records than its limit', async () => {
    const { check, key } = await annotated('readings.csv', csv(ROWS))
    expect((await check(csv(ROWS), [...key, '--max-records', '4'])).code).toBe(0)
    const { code, err } = await check(csv([...ROWS, '5,0']), [...key, '--max-records', '4'])
    expect([code, err]).toEqual([2, expect.stringContaining('expected at most 4 records, got more')])
  })

  it('has exit code 2 without a readable file or without a key', async () => {
    const { check, key, at, messages } = await annotated('readings.csv', csv(ROWS))
    expect((await check('a,b\n"', key)).err).toMatch(
      /readings\.csv:2:1: expected quotation marks .* \(format lines\)\n/,
    )
    const gone = await alvarium(['check', at('gone.csv'), messages, ...key])
    expect([gone.code, withoutFolder(gone.err)]).toEqual([
      2,
      expect.stringMatching(/gone\.csv: expected a file/),
    ])
    expect((await check(csv(ROWS), [])).err).toMatch('--key: needs the file of a public key')
  })
})
