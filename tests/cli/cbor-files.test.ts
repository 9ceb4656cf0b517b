import { readFile, stat } from 'node:fs/promises'
import { gunzipSync } from 'node:zlib'
import { cbor, toHex } from 'alvarium-sdk'
import { describe, expect, it } from 'vitest'
import { alvarium, withoutFolder } from './command.js'
import { signer } from './messages.js'

const ROWS = Array.from({ length: 600 }, (_, row) => `${row},${(row * 7919) % 1000}`)
const csv = (rows: readonly string[]) => `id,value\n${rows.join('\n')}\n`

async function annotate(name = 'messages.cbor', more: readonly string[] = ['--batch', '256']) {
  const one = await signer()
  const data = await one.write('data.csv', csv(ROWS))
  const messages = one.at(name)
  const args = ['annotate', data, '-k', one.at('private.key'), '--codec', 'cbor', '-o', messages, ...more]
  const { code, err } = await alvarium(args)
  const run = async (...asked: string[]) => {
    const { out, err, code } = await alvarium([...asked, ...one.key])
    return { out: withoutFolder(out), err: withoutFolder(err), code }
  }
  return { ...one, data, messages, args, code, err, run }
}

describe('a file of batches in CBOR', () => {
  // claim: command-27
  it('has on average fewer than 60 bytes per record, and verifies', async () => {
    const { code, messages, run } = await annotate()
    expect(code).toBe(0)
    expect((await stat(messages)).size / ROWS.length).toBeLessThan(60)
    const { out, code: verified } = await run('verify', messages)
    expect([verified, out.match(/^✓ create/gm)?.length]).toEqual([0, ROWS.length])
  })

  it('is accepted by alvarium check, which names an altered record', async () => {
    const { write, messages, run } = await annotate()
    const before = await run('check', await write('same.csv', csv(ROWS)), messages)
    expect([before.code, before.out]).toEqual([0, expect.stringContaining('600 records: 600 as signed')])
    const after = await run('check', await write('after.csv', csv(ROWS.with(400, '400,none'))), messages)
    expect([after.code, after.out]).toEqual([
      1,
      expect.stringMatching(/altered {2}after\.csv:402\n? .*messages\.cbor:2/s),
    ])
  })

  it('is accepted by alvarium pack make and by alvarium store ingest', async () => {
    const { at, messages, run } = await annotate()
    expect(await run('pack', 'make', messages, '-o', at('evidence.zip'), '--query', 'all')).toMatchObject({
      code: 0,
      err: '',
    })
    expect(await run('pack', 'verify', at('evidence.zip'))).toMatchObject({ code: 0 })
    const database = ['--database', at('store')]
    expect(await alvarium(['store', 'init', ...database])).toMatchObject({ code: 0 })
    const { code, out } = await run('store', 'ingest', messages, ...database)
    expect([code, out]).toEqual([0, expect.stringContaining('600 bundles')])
  })

  it('may be compressed with gzip', async () => {
    const { code, messages, run } = await annotate('messages.cbor.gz')
    expect(code).toBe(0)
    expect(gunzipSync(await readFile(messages))[0]).toBe(0xa2)
    expect((await run('verify', messages)).code).toBe(0)
  })

  it('may contain single bundles, and an error about a truncated bundle states its number', async () => {
    const { messages, run, write } = await annotate('single.cbor', [])
    expect((await run('verify', messages)).out).toMatch(/600 messages: 600 verified/)
    const bytes = await readFile(messages)
    const cut = await run('verify', await write('torn.cbor', bytes.subarray(0, -10)))
    expect([cut.code, cut.out]).toEqual([
      1,
      expect.stringMatching(/torn\.cbor:600 .*cut off[\s\S]*599 verified, 1 refused/),
    ])
  })

  it.each<[string, (bytes: Buffer) => Buffer]>([
    ['a line end', (bytes) => Buffer.concat([bytes, Buffer.from('\n')])],
    ['text', (bytes) => Buffer.concat([bytes, Buffer.from('{"messageType":')])],
    ['an unterminated item', (bytes) => Buffer.concat([bytes, Buffer.of(0xbf, 0, 0xff)])],
    ['a truncated message', (bytes) => Buffer.concat([bytes, bytes.subarray(0, 50)])],
  ])('is verified, but data after its last message is refused: %s', async (_, written) => {
    const { messages, run, write } = await annotate()
    const path = await write('longer.cbor', written(await readFile(messages)))
    const { code, out } = await run('verify', path)
    expect([code, out]).toEqual([
      1,
      expect.stringMatching(/longer\.cbor:4 .*MESSAGE_MALFORMED[\s\S]*4 messages: 3 verified, 1 refused/),
    ])
  })

  it('is refused for --append and --resume, because CBOR does not show where a torn message ends', async () => {
    const { args, at, write, messages } = await annotate()
    const anew = args.map((arg) => (arg === messages ? at('new.cbor') : arg))
    for (const more of [['--append'], ['--watch'], ['--resume', at('done')]]) {
      const { code, err } = await alvarium([...anew, ...more])
      expect([code, err]).toEqual([
        2,
        expect.stringMatching(`${more[0]} ?.*: cannot be combined with --out and --codec cbor`),
      ])
    }
    expect((await alvarium(args)).code).toBe(2)
    await write('messages.cbor', 'other')
    expect(await alvarium([...args, '--force'])).toMatchObject({ code: 0 })
  })

  it('is verified although standard input arrives in pieces of a few bytes', async () => {
    const { messages, key } = await annotate()
    const bytes = await readFile(messages)
    async function* inPieces() {
      for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7)
    }
    const { code, out } = await alvarium(['verify', ...key], { input: inPieces() })
    expect([code, out]).toEqual([0, expect.stringContaining('3 messages: 3 verified')])
  })

  it('on standard output is a line of hexadecimal for each message', async () => {
    const { at, data, sealed, key } = await annotate()
    const { out } = await alvarium([
      'annotate',
      data,
      '-k',
      at('private.key'),
      '--codec',
      'cbor',
      '--batch',
      '256',
    ])
    expect(out.trimEnd().split('\n')).toHaveLength(3)
    const { batch } = await sealed()
    const input = `${toHex(cbor().encode(batch))}\n${out}`
    expect((await alvarium(['verify', ...key], { input })).code).toBe(0)
  })
})
