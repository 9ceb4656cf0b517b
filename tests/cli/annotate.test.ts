import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs, { appendFile, link, mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { basename, resolve } from 'node:path'
import { keyOf } from 'alvarium-sdk'
import { connectAsync } from 'mqtt'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { startBroker } from '../../examples/broker/broker.mjs'
import { utf8 } from '../support/bytes.js'
import { alvarium, COMMAND, withoutFolder } from './command.js'
import { signer } from './messages.js'

const keysIn = (messages: string) =>
  messages.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line).content.key]))
/** Returns the bundles of `verify --json`. A batch that waits beyond its time becomes two messages and two lines. */
const bundlesIn = (lines: string) =>
  lines.split('\n').flatMap((line) => (line === '' ? [] : JSON.parse(line).bundles))
const keysOf = (...payloads: string[]) => payloads.map((one) => keyOf(new TextEncoder().encode(one)))

describe('alvarium annotate, when its own files are among the payloads,', () => {
  // claim: command-2
  it.each([
    ['none', ['--hash', 'none']],
    ['sha256', []],
  ])(
    'skips its private key, its password and its output files, and reports each of them (hash %s)',
    async (_, hash) => {
      const { at, write } = await signer()
      await write('x.ndjson', '1\n')
      await write('old.ndjson', '')
      await link(at('private.key'), at('another-name.key'))
      await write('password', 'secret')
      const own = ['-k', at('private.key'), '-o', at('old.ndjson'), '--resume', at('done')]
      const broker = ['--password-file', at('password')]
      const { err } = await alvarium(['annotate', at('.'), ...own, ...broker, ...hash])
      const messages = await readFile(at('old.ndjson'), 'utf8')
      expect(keysIn(messages)).toHaveLength(2) // x.ndjson and public.key
      for (const [name, what] of [
        ['private.key', 'the private key (--key)'],
        ['another-name.key', 'the private key (--key)'],
        ['old.ndjson', 'what this command writes (--out)'],
        ['password', 'the password (--password-file)'],
      ]) {
        expect(err).toContain(`skipped  ${at(name as string)}: ${what}\n`)
      }
    },
  )

  it('skips standard input that is redirected from its private key', async () => {
    const { cwd } = await signer()
    const line = 'annotate -k private.key --hash none < private.key'
    const script = `exec "${process.execPath}" "${COMMAND}" ${line}`
    const { status, stdout, stderr } = spawnSync('sh', ['-c', script], { cwd, encoding: 'utf8' })
    const said = expect.stringMatching(/^skipped {2}standard input: the private key \(--key\)\n✓ 0 payloads/)
    expect([status, stdout, stderr]).toEqual([0, '', said])
  })

  it('skips its config and the keys of the config', async () => {
    const { at, write } = await signer()
    await mkdir(at('in'))
    for (const half of ['private.key', 'public.key']) await rename(at(half), at(`in/${half}`))
    const half = (name: string) => ({ type: 'ed25519', path: at(`in/${name}.key`) })
    const config = {
      annotators: [],
      hash: { type: 'none' },
      signature: { private: half('private'), public: half('public') },
      stream: { type: 'mock' },
      layer: 'app',
    }
    const path = await write('in/config.json', JSON.stringify(config))
    await write('in/x', '1')
    await alvarium(['annotate', at('in'), '-c', path, '-o', at('out')])
    expect(keysIn(await readFile(at('out'), 'utf8'))).toEqual(['1'])
  })

  it('with --watch does not annotate the messages that it writes into the folder', async () => {
    const { at, write } = await signer()
    const stop = new AbortController()
    await mkdir(at('in'))
    await write('in/x.ndjson', '1\n')
    const args = ['annotate', '-k', at('private.key'), '-o', at('in/out.ndjson'), '--watch', at('in')]
    const running = alvarium(args, { signal: stop.signal })
    const soFar = async () => keysIn(await readFile(at('in/out.ndjson'), 'utf8').catch(() => ''))
    await expect.poll(soFar).toEqual(keysOf('1'))
    await appendFile(at('in/x.ndjson'), '2\n')
    await expect.poll(soFar).toEqual(keysOf('1', '2'))
    stop.abort()
    const { err } = await running
    expect(err.match(/^skipped/gm)).toHaveLength(1)
  })
})

describe('alvarium annotate --action mutate', () => {
  it('names the original record in the bundle of each new record', async () => {
    const { at, key, write } = await signer()
    const before = await write('old.csv', 'f\n68\n86\n')
    const after = await write('new.csv', 'c\n20\n30\n')
    const args = ['annotate', after, '--from', before, '--action', 'mutate', '-k', at('private.key')]
    const { code, out } = await alvarium([...args, '--batch', '2'])
    expect(code).toBe(0)
    const verified = await alvarium(['verify', ...key, '--json', '--payload', after], { input: out })
    const [from20, from30] = bundlesIn(verified.out)
    expect([from20.previousKey, from30.previousKey]).toEqual(keysOf('68', '86'))
    const lineage = await alvarium(['lineage', keysOf('20')[0] ?? '', ...key], { input: out })
    expect(lineage.out).toContain(`made from ${keysOf('68')}`)
  })

  it('accepts records from standard input, and whole files', async () => {
    const { at, write } = await signer()
    const args = ['annotate', '--action', 'mutate', '-k', at('private.key')]
    const piped = await alvarium([...args, '--from', await write('x.txt', '1\n2\n')], { input: '3\n4\n' })
    expect([piped.code, keysIn(piped.out)]).toEqual([0, keysOf('3', '4')])
    const whole = await alvarium([...args, await write('b', 'b'), '--from', await write('a', 'a')])
    expect([whole.code, keysIn(whole.out)]).toEqual([0, keysOf('b')])
  })

  it.each([
    ['an original with a different number of records', 'new.csv --from old.csv --action mutate', ', as in '],
    [
      'a mutate without an original',
      'new.csv --action mutate',
      '--from: needs the file that the payload was made from',
    ],
    [
      'an original without a mutate',
      'new.csv --from old.csv',
      '--from old.csv: works only with --action mutate',
    ],
    ['a folder', '. --from old.csv --action mutate', 'got several sources, or a folder'],
    ['a missing original', 'new.csv --from no.csv --action mutate', 'no.csv: expected a file'],
  ])('refuses to run with %s', async (_, line, said) => {
    const { at, write } = await signer()
    await write('old.csv', 'f\n68\n')
    await write('new.csv', 'c\n20\n30\n')
    const args = line.split(' ').map((word) => (/^\.|csv$/.test(word) ? at(word) : word))
    const { code, out, err } = await alvarium(['annotate', ...args, '-k', at('private.key')])
    expect([code, out, withoutFolder(err)]).toEqual([2, '', expect.stringContaining(said)])
  })
})

describe('alvarium annotate of a payload made from many inputs', () => {
  const inputsIn = async (messages: string, key: string[]) =>
    bundlesIn((await alvarium(['verify', ...key, '--json'], { input: messages })).out).map(
      ({ inputs }: { inputs: { key: string }[] }) => inputs.map(({ key }) => key),
    )

  // claim: command-15
  it('writes for each payload a bundle whose inputs are the records at the same place in the --from files', async () => {
    const { at, key, write } = await signer()
    const from = [await write('a.txt', '1\n2\n'), await write('b.txt', '3\n4\n')]
    const made = await write('made.txt', '13\n24\n')
    const args = ['annotate', made, '--action', 'mutate', '-k', at('private.key')]
    const { code, out } = await alvarium([...args, ...from.flatMap((path) => ['--from', path])])
    expect(code).toBe(0)
    expect(await inputsIn(out, key)).toEqual([keysOf('1', '3'), keysOf('2', '4')])
    await write('b.txt', '3\n')
    const other = await alvarium([...args, ...from.flatMap((path) => ['--from', path])])
    expect([other.code, other.out]).toEqual([2, ''])
  })

  // claim: command-16
  it('names as inputs all files, payload keys and sets that --inputs lists', async () => {
    const { at, key, write } = await signer()
    const set = 'a'.repeat(64)
    const [two = '', three = ''] = keysOf('2\n', '3')
    const list = [await write('one.bin', '1\n'), two.toLowerCase(), `set ${set}`, '', three]
    const args = ['annotate', await write('made.json', '[6]'), '-f', 'whole', '--action', 'mutate']
    const inputs = ['--inputs', await write('inputs', list.join('\r\n')), '-k', at('private.key')]
    const { code, out, err } = await alvarium([...args, ...inputs])
    expect([code, err]).toEqual([0, expect.stringContaining('1 payload annotated')])
    const [bundle] = bundlesIn((await alvarium(['verify', ...key, '--json'], { input: out })).out)
    expect(bundle.inputs).toMatchObject([{ key: keysOf('1\n')[0] }, { key: two }, { set }, { key: three }])
  })

  it.each([
    ['several payloads', 'two.txt --inputs list --action mutate', '2 in two.txt (--format whole makes one)'],
    [
      '--from',
      'one.txt --inputs list --from one.txt --action mutate',
      '--inputs list: cannot be combined with --from',
    ],
    [
      'an action other than mutate',
      'one.txt --inputs list',
      '--inputs list: works only with --action mutate',
    ],
    ['an empty list', 'one.txt --inputs empty --action mutate', 'got nothing in empty'],
    ['a list that names a missing file', 'one.txt --inputs gone --action mutate', 'no-such-file'],
    [
      'an output that is an input',
      'one.txt --inputs list --action mutate -o two.txt --force',
      'which is two.txt',
    ],
  ])('refuses --inputs with %s', async (_, line, said) => {
    const { at, write } = await signer()
    for (const [name, text] of Object.entries({ one: '1\n', two: '1\n2\n' })) await write(`${name}.txt`, text)
    await write('list', at('two.txt'))
    await write('empty', '\n')
    await write('gone', at('no-such-file'))
    const args = line.split(' ').map((word) => (/txt$|^(list|gone|empty)$/.test(word) ? at(word) : word))
    const { code, out, err } = await alvarium(['annotate', ...args, '-k', at('private.key')])
    expect([code, out, withoutFolder(err)]).toEqual([2, '', expect.stringContaining(said)])
    expect(await readFile(at('two.txt'), 'utf8')).toBe('1\n2\n')
  })
})

describe('alvarium annotate --batch', () => {
  // claim: command-17
  it('signs the files of a folder in batches, and with --resume signs each file only once', async () => {
    const { at, key, write } = await signer()
    await mkdir(at('in'))
    for (let at = 0; at < 70; at++) await write(`in/${String(at).padStart(2, '0')}.jpg`, `image ${at}`)
    const args = ['annotate', at('in'), '-k', at('private.key'), '--batch', '35', '--resume', at('done')]
    const { code, out } = await alvarium(args)
    const verified = await alvarium(['verify', ...key, '--json'], { input: out })
    expect([code, bundlesIn(verified.out)]).toEqual([0, expect.objectContaining({ length: 70 })])
    expect(out.trim().split('\n').length).toBeLessThan(10)
    expect(await alvarium(args)).toMatchObject({ code: 0, out: '' })
  })
})

describe('alvarium annotate --annotator', () => {
  it.each([
    ['an annotator', 'export default { kind: "mine", isSatisfied: ({ payload }) => payload.length > 1 }'],
    [
      'a function',
      'export default () => ({ kind: "mine", isSatisfied: ({ payload }) => payload.length > 1 })',
    ],
  ])('loads a module of the user: %s', async (_, module) => {
    const { at, key, write } = await signer()
    const args = ['annotate', '-k', at('private.key'), '-a', 'src', '-a', await write('check.mjs', module)]
    const { out: input } = await alvarium(args, { input: 'a\nbc\n' })
    const { out } = await alvarium(['verify', ...key], { input })
    expect(out).toMatch(/src yes {2}mine no.*\n.*src yes {2}mine yes/)
  })

  it.each([
    ['is missing', undefined, 'expected a module that can be loaded'],
    ['exports something else', 'export default 1', 'expected a default export { kind, isSatisfied }'],
    ['throws', 'throw new Error("mine")', 'expected a module that can be loaded, got mine'],
  ])('reports an annotator module that %s', async (_, module, said) => {
    const { at, write } = await signer()
    if (module) await write('check.mjs', module)
    const { code, err } = await alvarium(['annotate', '-k', at('private.key'), '-a', at('check.mjs')])
    expect([code, err]).toEqual([2, expect.stringContaining(said)])
  })
})

describe('alvarium annotate --out', () => {
  // claim: command-3
  it('refuses an existing file, unless --force or --append is given', async () => {
    const { at } = await signer()
    const annotate = (...more: string[]) =>
      alvarium(['annotate', '-k', at('private.key'), '-o', at('out'), ...more], { input: 'a' })
    const count = async () => keysIn(await readFile(at('out'), 'utf8')).length
    expect(await annotate()).toMatchObject({ code: 0 })
    const { code, err } = await annotate()
    expect([code, err, await count()]).toEqual([
      2,
      expect.stringContaining('--append, or overwrite it with --force'),
      1,
    ])
    expect([await annotate('--append'), await count()]).toMatchObject([{ code: 0 }, 2])
    expect([await annotate('--force'), await count()]).toMatchObject([{ code: 0 }, 1])
    expect(await annotate('--force', '--append')).toMatchObject({ code: 2 })
  })

  it.each([
    ['compressed', [0x1f, 0x8b]],
    ['CBOR', [0xa3]],
  ])('appends to a file of %s messages, and keeps all bytes that are already there', async (_, beginning) => {
    const { at, write } = await signer()
    const bytes = Uint8Array.from([...beginning, 0x0a, ...utf8('{"')])
    const out = await write('messages', bytes)
    await write('a.txt', '1')
    const args = ['annotate', at('a.txt'), '-k', at('private.key'), '-o', out, '--append']
    expect(await alvarium(args)).toMatchObject({ code: 0, err: expect.not.stringContaining('torn') })
    expect((await readFile(out)).subarray(0, bytes.length)).toEqual(Buffer.from(bytes))
  })

  it.each(['--append', '--force'])('with %s never overwrites a file that the command reads', async (how) => {
    const { at, write } = await signer()
    const before = await readFile(at('private.key'))
    await write('x.ndjson', '1\n')
    for (const out of ['private.key', 'x.ndjson']) {
      const args = ['annotate', at('x.ndjson'), '-k', at('private.key'), '-o', at(out), how]
      const { code, err } = await alvarium(args)
      expect([code, err]).toEqual([2, expect.stringContaining('a file that is not an input')])
    }
    expect([await readFile(at('private.key')), await readFile(at('x.ndjson'), 'utf8')]).toEqual([
      before,
      '1\n',
    ])
  })

  it.each([
    ['the original of a mutate', 'from.ndjson', '--action mutate --from from.ndjson x.ndjson'],
    ['an annotator module', 'check.mjs', '-a ./check.mjs x.ndjson'],
    ['a file that is redirected to standard input', 'x.ndjson', '- < x.ndjson'],
  ])('never overwrites a file that the command reads: %s', async (_, out, line) => {
    const { cwd, at, write } = await signer()
    await write('x.ndjson', '1\n')
    await write('from.ndjson', '2\n')
    await write('check.mjs', 'export default { kind: "x", isSatisfied: () => true }')
    const before = await readFile(at(out), 'utf8')
    for (const how of ['--append', '--force']) {
      const script = `"${process.execPath}" "${COMMAND}" annotate -k private.key -o ${out} ${how} ${line}`
      const { status, stderr } = spawnSync('sh', ['-c', script], { cwd, encoding: 'utf8' })
      expect([status, stderr]).toEqual([2, expect.stringContaining('a file that is not an input')])
    }
    expect(await readFile(at(out), 'utf8')).toBe(before)
  })

  it.each(['done', './done', 'done.new'])(
    'refuses the path of the --resume file, even before either file exists: %s',
    async (out) => {
      const { cwd, write } = await signer()
      await write('x.ndjson', '1\n')
      const line = `annotate -k private.key --resume done -o ${out} x.ndjson`
      const { status, stderr } = spawnSync(process.execPath, [COMMAND, ...line.split(' ')], {
        cwd,
        encoding: 'utf8',
      })
      expect([status, stderr]).toEqual([2, expect.stringContaining('a file that is not an input')])
    },
  )

  it.skipIf(process.platform === 'win32').each([
    ['folder', 'a folder: name a file in it'],
    ['pipe', 'a device or a pipe: redirect standard output to it (>), without --out'],
    ['/dev/null', 'a device or a pipe: redirect standard output to it (>), without --out'],
  ])('refuses a path that is not a regular file: %s', async (name, said) => {
    const { at } = await signer()
    spawnSync('sh', ['-c', 'mkdir folder && mkfifo pipe'], { cwd: at('.') })
    const out = resolve(at('.'), name)
    for (const how of [[], ['--append'], ['--force']]) {
      const { code, err } = await alvarium(['annotate', '-k', at('private.key'), '-o', out, ...how])
      expect([code, err]).toEqual([2, expect.stringContaining(`, which is ${said}\n`)])
    }
  })

  it('creates no empty file when a run fails', async () => {
    const { at, write } = await signer()
    const open = await write('open.csv', 'a,b\n1,"x')
    const config = ['-a', await write('wrong.mjs', 'export default 1')]
    for (const args of [[open], [at('no-such-file')], [open, ...config]]) {
      const { code } = await alvarium(['annotate', ...args, '-k', at('private.key'), '-o', at('new')])
      expect(code).toBe(2)
      await expect(stat(at('new'))).rejects.toMatchObject({ code: 'ENOENT' })
    }
  })

  it('creates a file with the permissions that the umask allows', async () => {
    const { at, cwd } = await signer()
    const script = `umask 027 && "${process.execPath}" "${COMMAND}" annotate -k private.key -o out x.ndjson`
    await writeFile(at('x.ndjson'), '1')
    expect(spawnSync('sh', ['-c', script], { cwd }).status).toBe(0)
    expect((await stat(at('out'))).mode & 0o777).toBe(0o640)
  })
})

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
    ['a single JSON value', 'x.json', '{"a": "\\"}"}\n', ['{"a": "\\"}"}']],
    ['a whole file', 'x.bin', 'all\nof it\n', ['all\nof it\n']],
    ['an empty file', 'x.bin', '', ['']],
  ])('makes one bundle for each payload in a file: %s', async (_, name, content, payloads) => {
    const { at, write } = await signer()
    const { code, out } = await alvarium(['annotate', '-k', at('private.key'), await write(name, content)])
    expect([code, keysIn(out)]).toEqual([0, keysOf(...payloads)])
  })

  it('splits standard input into chunks of --chunk-bytes', async () => {
    const { at } = await signer()
    const args = ['annotate', '-k', at('private.key'), '-f', 'chunks', '--chunk-bytes', '4']
    const { out } = await alvarium(args, { input: 'abcdefghij' })
    expect(keysIn(out)).toEqual(keysOf('abcd', 'efgh', 'ij'))
  })

  it('annotates each record of a pipe of length-prefixed records', async () => {
    const { at } = await signer()
    const args = ['annotate', '-k', at('private.key'), '-f', 'length-prefixed']
    const whole = await alvarium(args, { input: '\0\0\0\x03a\nb\0\0\0\0\0\0\0\x01c' })
    expect([whole.code, keysIn(whole.out)]).toEqual([0, keysOf('a\nb', '', 'c')])
    const cut = await alvarium(args, { input: '\0\0\0\x01a\0\0\0\x02b' })
    expect([cut.code, keysIn(cut.out)]).toEqual([2, keysOf('a')])
    expect(cut.err).toMatch(
      'stdin:2: expected a record as long as its prefix says, got a part that was cut off',
    )
    const long = await alvarium(args, { input: '\x01\0\0\x01a' })
    expect(long.err).toMatch('stdin:1: expected a payload of at most 16777216 bytes, got more')
  })

  it('annotates standard input, and all files of a folder in the order of their names', async () => {
    const { at, write } = await signer()
    await mkdir(at('in/deep'), { recursive: true })
    await write('in/b.bin', 'b')
    await write('in/deep/c.bin', 'c')
    await write('in/a.ndjson', '1\n2')
    await write('in/.hidden', 'no')
    const { out } = await alvarium(['annotate', '-k', at('private.key'), at('in'), '-'], { input: 'piped' })
    expect(keysIn(out)).toEqual(keysOf('piped', '1', '2', 'b', 'c'))
  })

  it('writes the annotators, action and tag of its options into CBOR batches or classic messages', async () => {
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
    expect(bundlesIn(verified.out)).toMatchObject([
      { action: 'transit', annotations: [{ kind: 'src', tag: 'line-4' }, { kind: 'tpm' }] },
      { action: 'transit' },
    ])
    const theirs = await alvarium([...args, '--dialect', 'go'], { input: 'a' })
    expect(await alvarium(['verify', ...key], { input: theirs.out })).toMatchObject({ code: 0 })
  })

  it('writes to a file and publishes to a broker in one run', async () => {
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

  /** Writes a config with two annotators and a stream that drops its messages. */
  async function writeConfig() {
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
    return { at, key, args: ['annotate', '-c', path, '-o', at('out.ndjson')] }
  }

  it('reads the private key, the annotators and the stream from a config', async () => {
    const { at, key, args } = await writeConfig()
    expect(await alvarium(args, { input: 'a' })).toMatchObject({ code: 0 })
    const { out } = await alvarium(['verify', ...key, '--json', at('out.ndjson')])
    expect(JSON.parse(out).bundles[0].annotations).toMatchObject([{ kind: 'src' }, { kind: 'mock' }])
  })

  it('publishes to --out and to --url in place of the stream of a config', async () => {
    const { at, args } = await writeConfig()
    const broker = await startBroker()
    onTestFinished(broker.close)
    const subscriber = await connectAsync(broker.url)
    await subscriber.subscribeAsync('t')
    const published = new Promise<Buffer>((resolve) =>
      subscriber.once('message', (_, payload) => resolve(payload)),
    )
    expect(await alvarium([...args, '--url', broker.url, '--topic', 't'], { input: 'a' })).toMatchObject({
      code: 0,
    })
    expect(`${await published}\n`).toBe(await readFile(at('out.ndjson'), 'utf8'))
    await subscriber.endAsync()
  })

  it('continues after an interruption, with --resume', async () => {
    const { at, write } = await signer()
    const path = await write('x.ndjson', '1\n2\n')
    const args = ['annotate', '-k', at('private.key'), '--resume', at('done'), path]
    const first = await alvarium(args)
    expect(keysIn(first.out)).toEqual(keysOf('1', '2'))
    expect(first.err).not.toContain('earlier')
    const { code, out, err } = await alvarium(args)
    expect([code, out]).toEqual([0, ''])
    expect(err).toMatch(/^✓ 0 payloads .*, 2 in earlier runs \(--resume\)\n$/)
    await appendFile(path, '3\n')
    expect(keysIn((await alvarium(args)).out)).toEqual(keysOf('3'))
  })

  // claim: command-19
  it('continues with --resume after it was killed before the first message, and cuts off a torn line of --out', async () => {
    const { at, key, write } = await signer()
    const path = await write('x.ndjson', '1\n2\n')
    const args = ['annotate', '-k', at('private.key'), '-o', at('out.ndjson'), '--resume', at('done')]
    const child = spawn(process.execPath, [COMMAND, ...args])
    await vi.waitFor(() => stat(at('done')))
    child.kill('SIGKILL')
    await once(child, 'close')
    await writeFile(at('out.ndjson'), '{"messageType":"bundle/1","bund')
    expect(await alvarium([...args, path])).toMatchObject({ code: 0 })
    expect(keysIn(await readFile(at('out.ndjson'), 'utf8'))).toEqual(keysOf('1', '2'))
    expect(await alvarium(['verify', at('out.ndjson'), ...key])).toMatchObject({ code: 0 })
  })

  it('flushes the file of --resume to the disk before it replaces the old one', async () => {
    const { at, write } = await signer()
    const path = await write('x.ndjson', '1\n')
    const calls: string[] = []
    for (const name of ['writeFile', 'rename'] as const) {
      const original = fs[name] as (...given: unknown[]) => Promise<void>
      vi.spyOn(fs, name).mockImplementation((...given: unknown[]) => {
        calls.push(`${name} ${basename(String(given[0]))} ${JSON.stringify(given[2] ?? {})}`)
        return original(...given)
      })
    }
    onTestFinished(() => {
      vi.restoreAllMocks()
      syncBuiltinESMExports()
    })
    syncBuiltinESMExports()
    const args = ['annotate', '-k', at('private.key'), '--resume', at('done'), path]
    expect(await alvarium(args)).toMatchObject({ code: 0 })
    const each = ['writeFile done.new {"flush":true}', 'rename done.new {}']
    expect(calls.length).toBeGreaterThan(0)
    expect(calls).toEqual(Array.from({ length: calls.length / 2 }, () => each).flat())
  })

  it('signs nothing if the --resume file cannot be written', async () => {
    const { at, write } = await signer()
    await mkdir(at('done.new'))
    const path = await write('x.ndjson', '1\n2\n')
    const { code, out, err } = await alvarium([
      'annotate',
      '-k',
      at('private.key'),
      '--resume',
      at('done'),
      path,
    ])
    expect([code, keysIn(out)]).toEqual([2, []])
    expect(err).toMatch(
      /^stopped after 0 payloads .*\nalvarium: --resume .*done: expected a file that can be written, got EISDIR/,
    )
  })

  it.each([
    ['"payloads": 2', '"payloads": "2"', 'payloads: expected an integer from 0 on, got "2"'],
    ['"payloads": 2', '"payloads": 1.5', 'payloads: expected an integer from 0 on, got 1.5'],
    ['"lastKey": ', '"lostKey": ', 'lastKey: expected how far it came in a file, got undefined'],
  ])('refuses a --resume file in which %s was changed to %s', async (written, changed, what) => {
    const { at, write } = await signer()
    const path = await write('x.ndjson', '1\n2\n')
    const args = ['annotate', '-k', at('private.key'), '--resume', at('done'), path]
    await alvarium(args)
    const memory = await readFile(at('done'), 'utf8')
    await writeFile(at('done'), memory.replace(written, changed))
    await writeFile(path, '7\n8\n9\n')
    const { code, out, err } = await alvarium(args)
    expect([code, out]).toEqual([2, ''])
    expect(err).toMatch(/: --resume .*done: expected a file that alvarium annotate wrote, or a new one, got /)
    expect(err).toContain(`x.ndjson.${what}`)
  })

  it('with --resume annotates a changed file again from its beginning', async () => {
    const { at, write } = await signer()
    const path = await write('x.ndjson', '1\n2\n')
    const args = ['annotate', '-k', at('private.key'), '--resume', at('done'), path]
    await alvarium(args)
    await writeFile(path, '7\n8\n9\n')
    expect(keysIn((await alvarium(args)).out)).toEqual(keysOf('7', '8', '9'))
    await writeFile(path, '7\n')
    expect(keysIn((await alvarium(args)).out)).toEqual(keysOf('7'))
  })

  it('with --watch annotates a new line only when its line end has been written', async () => {
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
    ['no key', [], '--key: needs the file of a private key, or --config (alvarium keygen makes a key)'],
    ['a key and a config', ['-k', 'private.key', '-c', 'x'], 'private.key: cannot be combined with --config'],
    ['a broker without a topic', ['-k', 'private.key', '--url', 'ws://x'], '--url: works only with --topic'],
    ['an unknown annotator', ['-a', 'scr'], 'Allowed choices are src, tpm, pki, and modules: ./check.mjs.'],
    ['pki without its key', ['-k', 'private.key', '-a', 'pki'], '--pki-key: needs the file'],
    ['an invalid number', ['--batch', '1e3'], 'Expected a whole number from 1 to 65536.'],
    [
      'a --resume file that is not a journal',
      ['-k', 'private.key', '--resume', 'public.key'],
      'public.key: expected a file',
    ],
  ])('refuses to run with %s', async (_, args, said) => {
    const { at } = await signer()
    const full = args.map((arg) => (arg.endsWith('.key') ? at(arg) : arg))
    const { code, err } = await alvarium(['annotate', ...full], { input: 'a' })
    expect([code, err]).toEqual([2, expect.stringContaining(said)])
  })

  it('annotates only the complete items of truncated JSON', async () => {
    const { at } = await signer()
    const { code, err, out } = await alvarium(['annotate', '-k', at('private.key'), '-f', 'json'], {
      input: '[1,{"a":',
    })
    expect([code, keysIn(out)]).toEqual([2, keysOf('1')])
    expect(err).toContain('stdin:2: expected JSON to its end')
  })

  // claim: command-4
  it.each([
    ['a stray quotation mark', 'a,b\n1,2\n1,5" pipe\n3,4\n', ['1,2'], '3:4: expected quotation marks'],
    [
      'text after a closing quotation mark',
      'a,b\n1,2\né,"x"y\n3,4\n',
      ['1,2'],
      '3:5: expected quotation marks',
    ],
    ['an unclosed quotation mark', 'a,b\n1,2\n3,"x\n5,6\n', ['1,2'], '3:3: expected quotation marks'],
    ['an unclosed quotation mark in the header', 'a,"b\n1,2\n3,4\n', [], '1:3: expected quotation marks'],
    ['carriage returns as line ends', 'a,b\r1,2\r3,4\r', [], '1:4: expected lines that end with a line feed'],
    ['a carriage return in a line', 'a,b\n1,2\r\n3,\r4\n', ['1,2'], '3:3: expected lines that end'],
    ['two carriage returns', 'a,b\n1,2\n3,""\r\r\n', ['1,2'], '3:5: expected lines that end'],
    [
      'a carriage return after a closing quotation mark',
      'a,b\n1,2\n3,"4"\r"5"\n',
      ['1,2'],
      '3:6: expected lines that end',
    ],
  ])('stops before an ambiguous record of CSV: %s', async (_, input, accepted, said) => {
    const { at, write } = await signer()
    const args = ['annotate', '-k', at('private.key'), await write('x.csv', input)]
    const { code, err, out } = await alvarium(args)
    expect([code, keysIn(out)]).toEqual([2, keysOf(...accepted)])
    expect(err).toContain(`x.csv:${said}`)
    expect(err).toContain('or take each line as it is (format lines)')
    expect(err).toContain(`stopped after ${accepted.length} payload`)
  })

  it.each([
    ['semicolons', 'a;b\n1,5;"x\ny"\n2;3\n', ['1,5;"x\ny"', '2;3']],
    ['tabs', 'a\tb\n1\t"x\ny"\n', ['1\t"x\ny"']],
    ['carriage returns in fields', 'a,b\r\n"1\r",2\r\n3,4\r', ['"1\r",2', '3,4']],
    ['a byte order mark', '\ufeff"a\n1",b\r\n1,2\r\n', ['1,2']],
  ])('reads records of CSV that contain %s', async (_, input, records) => {
    const { at, write } = await signer()
    const args = ['annotate', '-k', at('private.key'), await write('x.csv', input)]
    const { code, out } = await alvarium(args)
    expect([code, keysIn(out)]).toEqual([0, keysOf(...records)])
  })

  it('keeps the messages before a payload that is too long, and names that payload', async () => {
    const { at } = await signer()
    const input = `a\n${'x'.repeat(16 * 1024 * 1024 + 1)}\n`
    const { code, err, out } = await alvarium(['annotate', '-k', at('private.key')], { input })
    expect([code, keysIn(out)]).toEqual([2, keysOf('a')])
    expect(err).toContain('stdin:2: expected a payload of at most 16777216 bytes')
  })
})
