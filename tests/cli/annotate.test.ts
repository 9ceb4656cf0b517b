import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { keyOf } from 'alvarium-sdk'
import { describe, expect, it } from 'vitest'
import { startBroker } from '../../examples/broker/broker.mjs'
import { alvarium } from './command.js'
import { signer } from './messages.js'

/** The keys of the payloads that messages are about, in their order. */
const keysIn = (messages: string) =>
  messages.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line).content.key]))
const keysOf = (...payloads: string[]) => payloads.map((one) => keyOf(new TextEncoder().encode(one)))

describe('alvarium annotate', () => {
  it.each([
    ['lines', 'x.ndjson', '{"a":1}\r\n\n{"a":2}', ['{"a":1}', '{"a":2}']],
    [
      'records of CSV',
      'x.csv',
      'a,b\n1,"two\nlines, ""quoted"""\n\n3,4\n',
      ['1,"two\nlines, ""quoted"""', '3,4'],
    ],
    [
      'the items of an array',
      'x.json',
      ' [1, {"a": [2, "]"]},\n"x", null]\n',
      ['1', '{"a": [2, "]"]}', '"x"', 'null'],
    ],
    ['a value', 'x.json', '{"a": "\\"}"}\n', ['{"a": "\\"}"}']],
    ['a whole file', 'x.bin', 'all\nof it\n', ['all\nof it\n']],
    ['an empty file', 'x.bin', '', ['']],
  ])('takes payloads as they stand there: %s', async (_, name, content, payloads) => {
    const { at, write } = await signer()
    const { code, out } = await alvarium(['annotate', '-k', at('private.key'), await write(name, content)])
    expect([code, keysIn(out)]).toEqual([0, keysOf(...payloads)])
  })

  it('takes chunks of a size, however the pieces come', async () => {
    const { at } = await signer()
    const args = ['annotate', '-k', at('private.key'), '-f', 'chunks', '--chunk-bytes', '4']
    const { out } = await alvarium(args, { input: 'abcdefghij' })
    expect(keysIn(out)).toEqual(keysOf('abcd', 'efgh', 'ij'))
  })

  it('takes all files of a folder in the order of their names, and what is piped in', async () => {
    const { at, write } = await signer()
    await mkdir(at('in/deep'), { recursive: true })
    await write('in/b.bin', 'b')
    await write('in/deep/c.bin', 'c')
    await write('in/a.ndjson', '1\n2')
    await write('in/.hidden', 'no')
    const { out } = await alvarium(['annotate', '-k', at('private.key'), at('in'), '-'], { input: 'piped' })
    expect(keysIn(out)).toEqual(keysOf('piped', '1', '2', 'b', 'c'))
  })

  it('says what it was asked to say, for verifiers of any kind', async () => {
    const { at, key } = await signer()
    const args = [
      'annotate',
      '-k',
      at('private.key'),
      '-a',
      'src',
      '-a',
      'tpm',
      '--action',
      'transit',
      '--tag',
      'line-4',
    ]
    const ours = await alvarium([...args, '--batch', '2', '--codec', 'cbor'], { input: 'a\nb\n' })
    const verified = await alvarium(['verify', ...key, '--json'], { input: ours.out })
    expect(JSON.parse(verified.out).bundles).toMatchObject([
      { action: 'transit', annotations: [{ kind: 'src', tag: 'line-4' }, { kind: 'tpm' }] },
      { action: 'transit' },
    ])
    const theirs = await alvarium([...args, '--dialect', 'go'], { input: 'a' })
    expect(await alvarium(['verify', ...key], { input: theirs.out })).toMatchObject({ code: 0 })
  })

  it('writes to a file and a broker at once', async () => {
    const broker = await startBroker()
    try {
      const { at, key } = await signer()
      const heard = new Promise((resolve) => broker.aedes.once('publish', resolve))
      const args = [
        'annotate',
        '-k',
        at('private.key'),
        '-o',
        at('out.ndjson'),
        '--url',
        broker.url,
        '--topic',
        't',
      ]
      expect(await alvarium(args, { input: 'a\nb' })).toMatchObject({ code: 0, out: '' })
      expect(await heard).toBeDefined()
      expect(await alvarium(['verify', ...key, at('out.ndjson')])).toMatchObject({ code: 0 })
    } finally {
      await broker.close()
    }
  })

  it('takes key, annotators and stream from a config', async () => {
    const { at, key, write } = await signer()
    const half = (name: string) => ({ type: 'ed25519', path: at(name) })
    const config = {
      annotators: [{ kind: 'src' }, { kind: 'mock', shouldSatisfy: true }],
      hash: { type: 'sha256' },
      signature: { private: half('private.key'), public: half('public.key') },
      stream: { type: 'mock' },
      layer: 'app',
    }
    const path = await write('config.json', JSON.stringify(config))
    const args = ['annotate', '-c', path, '-o', at('out.ndjson')]
    expect(await alvarium(args, { input: 'a' })).toMatchObject({ code: 0 })
    const { out } = await alvarium(['verify', ...key, '--json', at('out.ndjson')])
    expect(JSON.parse(out).bundles[0].annotations).toMatchObject([{ kind: 'src' }, { kind: 'mock' }])
  })

  it('goes on where it was stopped, with --resume', async () => {
    const { at, write } = await signer()
    const path = await write('x.ndjson', '1\n2\n')
    const args = ['annotate', '-k', at('private.key'), '--resume', at('done'), path]
    expect(keysIn((await alvarium(args)).out)).toEqual(keysOf('1', '2'))
    expect((await alvarium(args)).out).toBe('')
    await appendFile(path, '3\n')
    expect(keysIn((await alvarium(args)).out)).toEqual(keysOf('3'))
  })

  it('begins anew with a file that is another one now', async () => {
    const { at, write } = await signer()
    const path = await write('x.ndjson', '1\n2\n')
    const args = ['annotate', '-k', at('private.key'), '--resume', at('done'), path]
    await alvarium(args)
    await writeFile(path, '7\n8\n9\n')
    expect(keysIn((await alvarium(args)).out)).toEqual(keysOf('7', '8', '9'))
    await writeFile(path, '7\n')
    expect(keysIn((await alvarium(args)).out)).toEqual(keysOf('7'))
  })

  it('goes on with what comes, with --watch, and takes no line that has not ended', async () => {
    const { at, key, write } = await signer()
    const stop = new AbortController()
    await mkdir(at('in'))
    await write('in/x.ndjson', '1\n2')
    const args = ['annotate', '-k', at('private.key'), '-o', at('out.ndjson'), '--watch', at('in')]
    const running = alvarium(args, { signal: stop.signal })
    const soFar = async () => keysIn(await readFile(at('out.ndjson'), 'utf8').catch(() => ''))
    await expect.poll(soFar).toEqual(keysOf('1'))
    await appendFile(at('in/x.ndjson'), '\n')
    await expect.poll(soFar).toEqual(keysOf('1', '2'))
    stop.abort()
    const { code, err } = await running
    expect([code, err]).toEqual([130, expect.stringMatching(/^stopped after 2 payloads annotated/)])
    expect(await alvarium(['verify', ...key, at('out.ndjson')])).toMatchObject({ code: 0 })
  })

  it.each([
    ['no key', [], 'neither (alvarium keygen makes one)'],
    ['a key and a config', ['-k', 'private.key', '-c', 'x'], '--key: expected nothing beside --config'],
    [
      'a broker without a topic',
      ['-k', 'private.key', '--url', 'ws://x'],
      '--topic: expected one, with --url, got none',
    ],
    ['an annotator that there is not', ['-a', 'scr'], 'Allowed choices are src, tpm, pki.'],
    ['pki without its key', ['-k', 'private.key', '-a', 'pki'], '--pki-key: expected the file'],
    ['a number that is none', ['--batch', '1e3'], 'Expected a whole number from 1 to 65536.'],
    [
      'a journal that is something else',
      ['-k', 'private.key', '--resume', 'public.key'],
      '--resume: expected a file',
    ],
  ])('says what is wrong with %s', async (_, args, said) => {
    const { at } = await signer()
    const full = args.map((arg) => (arg.endsWith('.key') ? at(arg) : arg))
    const { code, err } = await alvarium(['annotate', ...full], { input: 'a' })
    expect([code, err]).toEqual([2, expect.stringContaining(said)])
  })

  it('annotates no part of JSON that was cut off', async () => {
    const { at } = await signer()
    const { code, err, out } = await alvarium(['annotate', '-k', at('private.key'), '-f', 'json'], {
      input: '[1,{"a":',
    })
    expect([code, keysIn(out)]).toEqual([2, keysOf('1')])
    expect(err).toContain('stdin:2: expected JSON to its end')
  })

  it('keeps what was accepted when a payload is too long, and says which', async () => {
    const { at } = await signer()
    const input = `a\n${'x'.repeat(16 * 1024 * 1024 + 1)}\n`
    const { code, err, out } = await alvarium(['annotate', '-k', at('private.key')], { input })
    expect([code, keysIn(out)]).toEqual([2, keysOf('a')])
    expect(err).toContain('stdin:2: expected a payload of at most 16777216 bytes')
  })
})
