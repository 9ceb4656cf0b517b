import { memory, openSdk, source } from 'alvarium-sdk'
import { type CheckCounts, check, type RecordFormat, readRecords } from 'alvarium-sdk/records'
import { describe, expect, it } from 'vitest'
import { alvarium } from '../cli/command.js'
import { signer } from '../cli/messages.js'
import { textOf, utf8 } from '../support/bytes.js'
import { caseOf } from '../support/classic.js'
import { failure } from '../support/failure.js'
import { key, keyring } from '../support/sdk.js'

/** Sizes of pieces: a text as one piece, and byte by byte, because readers may get any pieces. */
const PIECES = { whole: Number.MAX_SAFE_INTEGER, bytes: 1 }
async function* pieces(text: string, size: number): AsyncGenerator<Uint8Array, void> {
  const bytes = utf8(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function recordsOf(text: string, format: RecordFormat, size = PIECES.whole): Promise<string[]> {
  const records: string[] = []
  for await (const { bytes } of readRecords(pieces(text, size), { format, name: 'f' }))
    records.push(textOf(bytes))
  return records
}

/** Signs a file record by record, and compares it with its later form. */
async function checked(signed: string, found: string, format: RecordFormat): Promise<CheckCounts> {
  const stream = memory()
  const sdk = await openSdk({ signingKey: key.signingKey, annotators: [source()], stream })
  for await (const { bytes } of readRecords([utf8(signed)], { format })) await sdk.create(bytes)
  await sdk.close()
  const checking = check(readRecords([utf8(found)], { format }), stream.messages, { keyring })
  for await (const _ of checking);
  return checking.counts
}

const SIGNED = '[{"a":1},{"b":2}]'

describe('a file of JSON', () => {
  it.each<[string, string, string]>([
    [
      'text after the array',
      '[{"a":1}],{"b":2},3',
      'f:1:10: expected nothing after the end of the array, got ","',
    ],
    ['a word after the array', `${SIGNED} x`, 'f:1:19: expected nothing after the end of the array, got "x"'],
    [
      'a second bracket after the array',
      `${SIGNED}]`,
      'f:1:18: expected nothing after the end of the array, got "]"',
    ],
    ['a second array', `${SIGNED}\n[{"c":1}]`, 'f:2:1: expected nothing after the end of the array, got "["'],
    [
      'a NUL after the array',
      `${SIGNED}\0`,
      'f:1:18: expected nothing after the end of the array, got the byte 0',
    ],
    [
      'a comma after the array, lines later',
      `${SIGNED}\n\n ,`,
      'f:3:2: expected nothing after the end of the array, got ","',
    ],
    ['no comma', '[{"a":1} {"b":2}]', 'f:1:10: expected a comma or ], got "{"'],
    ['no comma and no space', '[{"a":1}{"b":2}]', 'f:1:9: expected a comma or ], got "{"'],
    ['two commas', '[{"a":1},,{"b":2}]', 'f:1:10: expected a value, got ","'],
    ['a comma at its end', '[{"a":1},{"b":2},]', 'f:1:18: expected a value, got "]"'],
    ['a comma at its beginning', '[,{"a":1},{"b":2}]', 'f:1:2: expected a value or ], got ","'],
    ['a brace that closes it', '[{"a":1},{"b":2}}', 'f:1:17: expected a comma or ], got "}"'],
    ['a comma before it', `,${SIGNED}`, 'f:1:1: expected a value, got ","'],
    ['a bracket before it', `]${SIGNED}`, 'f:1:1: expected a value, got "]"'],
    ['commas between values', '{"a":1},{"b":2}', 'f:1:8: expected a value, got ","'],
    ['a bracket after values', '{"a":1}\n{"b":2}]', 'f:2:8: expected a value, got "]"'],
    [
      'text after letters of two bytes',
      '["ä"]x',
      'f:1:6: expected nothing after the end of the array, got "x"',
    ],
  ])('is refused, if invalid, with the place of its fault: %s', async (_, text, message) => {
    for (const size of Object.values(PIECES)) {
      const error = await failure(() => recordsOf(text, 'json', size))
      expect([error.code, error.message]).toEqual(['PAYLOAD_INVALID', expect.stringContaining(message)])
    }
  })

  it.each([
    ['an array', SIGNED, ['{"a":1}', '{"b":2}']],
    ['an array with white space everywhere', ' [ {"a":1} ,\n{"b":2}\t] \r\n', ['{"a":1}', '{"b":2}']],
    ['values on lines', '{"a":1}\n{"b":2}\n', ['{"a":1}', '{"b":2}']],
    ['values that touch', '{"a":1}{"b":2}"c"[1,2]3', ['{"a":1}', '{"b":2}', '"c"', '[1,2]', '3']],
    ['numbers and words', '[1,true,null]', ['1', 'true', 'null']],
    ['an empty array', '[]', []],
    ['arrays in an array', '[[1],[2,[3]]]', ['[1]', '[2,[3]]']],
    ['brackets and commas in texts', '["],[",{"]":"}"}]', ['"],["', '{"]":"}"}']],
  ])('is read record by record if it is valid: %s', async (_, text, records) => {
    for (const size of Object.values(PIECES)) expect(await recordsOf(text, 'json', size)).toEqual(records)
  })

  it('is refused, if invalid, by the commands check, annotate and set seal, with the place of its fault', async () => {
    const { at, key, write } = await signer()
    const good = await write('good.json', SIGNED)
    const messages = at('messages.ndjson')
    await alvarium(['annotate', good, '-k', at('private.key'), '-o', messages])
    expect((await alvarium(['check', good, messages, ...key])).code).toBe(0)
    const bad = await write('bad.json', '[{"a":1}],{"b":2},3')
    for (const args of [
      ['check', bad, messages, ...key],
      ['annotate', bad, '-k', at('private.key'), '-o', at('x.ndjson')],
      ['set', 'seal', bad, '-k', at('private.key'), '-o', at('x.json'), '-l', at('x.list')],
    ]) {
      const { code, err } = await alvarium(args)
      expect([args[0], code]).toEqual([args[0], 2])
      expect(err).toContain('bad.json:1:10: expected nothing after the end of the array, got ","')
    }
  })

  it('is refused by verify if text follows its array of messages', async () => {
    const { key, sealed } = await signer()
    const { a, b } = await sealed()
    const good = `[${textOf(a)},${textOf(b)}]`
    expect((await alvarium(['verify', ...key], { input: good })).code).toBe(0)
    const { code, out } = await alvarium(['verify', ...key], { input: `${good},${textOf(a)}` })
    expect([code, out]).toEqual([1, expect.stringContaining('expected nothing after the end of the array')])
  })
})

describe('text appended to a file that is not JSON', () => {
  it.each<[RecordFormat, string, string, Partial<CheckCounts>]>([
    ['csv', 'id\n1\n2\n', 'id\n1\n2\n3\n', { extra: 1 }],
    ['csv', 'id\n1\n2\n', 'id\n1\n2\n\0', { extra: 1 }],
    ['lines', '1\n2\n', '1\n2\nx', { extra: 1 }],
    ['lines', '1\n2\n', '1\n2\n\0\0', { extra: 1 }],
    ['lines', '1\n2\n', '1\n2\n\x1a', { extra: 1 }],
    ['whole', '1\n2\n', '1\n2\nx', { altered: 1 }],
    ['whole', '1\n2\n', '1\n2\n\n', { altered: 1 }],
  ])('is found in %s, where %j became %j', async (format, signed, found, counts) => {
    expect(await checked(signed, found, format)).toMatchObject(counts)
  })

  it('is found if it begins another chunk, or makes the last chunk longer', async () => {
    const { at, key, write } = await signer()
    const data = await write('data.bin', 'abcdefgh')
    const chunks = ['--format', 'chunks', '--chunk-bytes', '4']
    await alvarium(['annotate', data, '-k', at('private.key'), '-o', at('m.ndjson'), ...chunks])
    const grown = await write('data.bin', 'abcdefghi')
    const { code, out } = await alvarium(['check', grown, at('m.ndjson'), ...key, ...chunks])
    expect([code, out]).toEqual([1, expect.stringContaining('1 extra')])
  })

  it('is not a record if it consists of line ends, as the guide explains', async () => {
    expect(await checked('id\n1\n2', 'id\r\n1\r\n2\r\n\r\n', 'csv')).toMatchObject({ extra: 0, altered: 0 })
  })
})

describe('records next to messages that the command check does not compare', () => {
  it('stay undecided, rather than "refused", if the messages are of another SDK', async () => {
    const { at, key, write } = await signer()
    const data = await write('data.csv', 'id\n1\n')
    await alvarium(['annotate', data, '-k', at('private.key'), '-o', at('m.ndjson')])
    const { message } = caseOf('go', 'create-hello')
    const foreign = await write('foreign.ndjson', `${message}\n`)
    const only = await alvarium(['check', data, foreign, ...key])
    expect([only.code, only.err]).toEqual([2, expect.stringContaining('1 message of other SDKs')])
    expect(only.err + only.out).not.toContain('✗')
    const both = await alvarium(['check', data, at('m.ndjson'), foreign, ...key])
    expect(both.code).toBe(0)
    const grown = await write('data.csv', 'id\n1\n2\n')
    const unsure = await alvarium(['check', grown, at('m.ndjson'), foreign, ...key])
    expect([unsure.code, unsure.out]).toEqual([2, expect.stringContaining('? cannot tell')])
    expect((await alvarium(['check', grown, at('m.ndjson'), ...key])).code).toBe(1)
  })
})
