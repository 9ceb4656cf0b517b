import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cbor, extractBundle, keyOf, toHex } from 'alvarium-sdk'
import { describe, expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { everyCase } from '../support/classic.js'
import { letterOf } from '../support/dead-letters.js'
import { deferred } from '../support/deferred.js'
import { vectorBytes } from '../support/vectors.js'
import { alvarium } from './command.js'
import { ofMany, SET, signer, text } from './messages.js'

const UNSAID = 'no message is about 1 record of --payload, on the trust of'

describe('alvarium verify', () => {
  it('prints the whole content of a single message', async () => {
    const { key, keyId, sealed } = await signer()
    const { code, out, err } = await alvarium(['verify', ...key], { input: (await sealed()).a })
    expect([code, err]).toEqual([0, ''])
    expect(out).toMatch(/^✓ verified: nothing in it was altered\n {2}action {7}create\n/)
    expect(out).toContain(`signer       ${keyId}`)
    expect(out).toMatch(/ src +yes .*\n +doubt +no /)
  })

  it('names the single input of a payload, and the first of several inputs', async () => {
    const { key, signingKey } = await signer()
    const few = await alvarium(['verify', ...key], { input: (await ofMany(signingKey, 1)).a })
    expect(few.out).toContain(
      `  made from    all of the set ${SET}\n               ${keyOf(utf8('0'))} (sha256)\n`,
    )
    expect(few.out).not.toContain('more input')
    const many = await alvarium(['verify', ...key], { input: (await ofMany(signingKey, 5)).a })
    expect(many.out).toContain('\n               … and 1 more input (--json has all)\n')
  })

  it('prints the verdict on each message from standard input before it reads the next message', async () => {
    const { key, sealed } = await signer()
    const { a } = await sealed()
    const isShown = deferred()
    async function* input() {
      yield Buffer.from(`${text(a)}\n`)
      await isShown.promise
    }
    const { code, out } = await alvarium(['verify', ...key], {
      input: input(),
      onOut: () => isShown.resolve(),
    })
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^✓ create .*\n✓ holds: 1 message: 1 verified, on the trust of \S+\n$/),
    ])
  })

  it('verifies the message in a dead letter, and reports a dead letter without its message', async () => {
    const { key, sealed, write } = await signer()
    const { a } = await sealed()
    const stray = ['{\n}', 'a\nb', 'c', 'd', 'e', 'f'].map((one) => letterOf(utf8(one)))
    const short = text(letterOf(a)).replace(/,"message":"[^"]*"/, '')
    const letters = [...stray.map(text), short, text(letterOf(a))]
    const { code, out } = await alvarium(['verify', ...key, await write('dead.ndjson', letters.join('\n'))])
    expect(code).toBe(1)
    expect(out).toContain(
      `expected a dead letter with its message, got only the size of the message, ${a.length} bytes`,
    )
    expect(out).toContain('8 messages: 1 verified, 7 ')
  })

  it('ignores the time of receipt in a dead letter, because a thief of the revoked key could have written it', async () => {
    const { cwd, sealed, write } = await signer()
    const publicKey = await readFile(join(cwd, 'public.key'), 'utf8')
    const revoked = { since: '2101-01-01T00:00:00Z' }
    const policy = { signers: [{ name: 'edge', keys: [publicKey], revoked }] }
    const trust = ['--trust', await write('trust.json', JSON.stringify(policy))]
    const old = letterOf((await sealed()).a, { receivedAt: Date.parse('2100-01-01T00:00:00Z') })
    const { code, out } = await alvarium(['verify', ...trust, await write('dead.ndjson', old)])
    expect([code, out]).toEqual([1, expect.stringContaining('SIGNER_REVOKED')])
    const told = await alvarium([
      'verify',
      ...trust,
      '--received-at',
      '2100-01-01T00:00:00Z',
      join(cwd, 'dead.ndjson'),
    ])
    expect(told.code).toBe(0)
  })

  it('prints an error for a source that cannot be read, and the verdicts on the other sources', async () => {
    const { key, sealed, write } = await signer()
    const { a, b } = await sealed()
    const good = await write('good', a)
    const bad = await write('bad', text(b).replace('edge-7', 'edge-8'))
    const missing =
      '? there-is-none  expected a file or folder that can be read, got ENOENT: no such file or directory\n'
    const beside = await alvarium(['verify', ...key, 'there-is-none', good])
    expect(beside).toMatchObject({ code: 2, out: expect.stringContaining(`${missing}✓ create`), err: '' })
    expect(beside.out).toContain('? cannot tell: 1 message: 1 verified, 1 source unread, on the trust of')
    expect(beside.out).toContain('; needs sources that can be read\n')
    const { code, out } = await alvarium(['verify', ...key, bad, 'there-is-none'])
    expect([code, out]).toEqual([1, expect.stringContaining(missing)])
  })

  const MARK = '\ufeff'

  // claim: command-6
  it.each([
    ['in one piece', 1_000],
    ['byte by byte', 1],
  ])('skips a UTF-8 byte order mark in input that arrives %s', async (_, size) => {
    const { at, key, sealed, write } = await signer()
    const { a, b } = await sealed()
    const files = [
      `${MARK}${text(a)}\n${text(b)}\n`,
      `${MARK}\n[${text(a)},${text(b)}]`,
      `${MARK}\r\n${[a, b].map((one) => JSON.stringify(JSON.parse(text(one)), null, 2)).join('\n')}`,
      `${MARK}${toHex(cbor().encode(a))}\n${text(b)}`,
    ]
    for (const file of files) {
      const bytes = Buffer.from(file)
      async function* input() {
        for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size)
      }
      const { code, out } = await alvarium(['verify', ...key], { input: input() })
      expect([code, out]).toEqual([0, expect.stringContaining('✓ holds: 2 messages: 2 verified, ')])
    }
    await write('marked', MARK + text(a))
    const payload = await write('payload', 'a')
    for (const command of [
      ['verify', ...key],
      ['inspect'],
      ['score', ...key],
      ['lineage', ...key, payload],
    ]) {
      const { code, err } = await alvarium([...command, at('marked')])
      expect([code, err]).toEqual([0, expect.stringMatching(/^(✓ holds: .*\n)?$/)])
    }
    expect(await alvarium(['verify', ...key], { input: MARK })).toMatchObject({ code: 2 })
  })

  it.each([
    ['little', (bytes: Buffer) => bytes],
    ['big', (bytes: Buffer) => bytes.swap16()],
  ])('reports a file in UTF-16 (%s-endian) as unread, and verifies the other files', async (_, order) => {
    const { key, sealed, write } = await signer()
    const { a, b } = await sealed()
    const wide = await write('wide', order(Buffer.from(`${MARK}${text(a)}`, 'utf16le')))
    const { code, out } = await alvarium(['verify', ...key, wide, await write('b', b)])
    expect(code).toBe(2)
    expect(out).toContain(`${wide}  expected messages in UTF-8, got UTF-16: save it as UTF-8\n`)
    expect(out).toContain('? cannot tell: 1 message: 1 verified, 1 source unread, ')
    const inspected = await alvarium(['inspect', wide])
    expect(inspected).toMatchObject({ code: 2, err: expect.stringContaining('UTF-16: save it as UTF-8') })
  })

  it.each([
    ['records', 'celsius,place\n21.4,hall\n'],
    ['values', '{"celsius":21.4}\n{"celsius":21.9}\n'.repeat(1_000)],
    ['bytes', Buffer.alloc(1_000_000, '\x00\n')],
  ])('refuses payloads in place of messages: %s', async (_, data) => {
    const { at, key, sealed, write } = await signer()
    await mkdir(at('in'))
    await write('in/readings', data)
    await write('in/message', (await sealed()).a)
    const { code, out } = await alvarium(['verify', ...key, at('in')])
    expect([code, out.split('\n')]).toEqual([
      2,
      [
        expect.stringMatching(/^✓ create /),
        expect.stringMatching(
          /^\? .*readings {2}expected messages, got what looks like data: annotate it, or/,
        ),
        expect.stringMatching(/^\? cannot tell: 1 message: 1 verified, 1 source unread, on the trust of /),
        '',
      ],
    ])
  })

  // claim: command-23
  it.each([
    ['a PNG image', '\x89PNG\r\n\x1a\n'],
    ['a PDF file', '%PDF-1.7\n'],
    ['a tar archive', `big.csv${'\0'.repeat(250)}ustar\0`],
    ['a SQLite database', 'SQLite format 3\0'],
    ['what looks like data', '\x00\x01'],
  ])(
    'stops after a few lines of a file without messages, and names the kind of file: %s',
    async (kind, begin) => {
      const { key, write } = await signer()
      // Lines begin with every byte, including those of CBOR.
      const lines = Buffer.from(
        Array.from({ length: 200_000 }, (_, at) => (at % 9 === 8 ? 0x0a : (at * 7919) % 251)),
      )
      const path = await write('other', Buffer.concat([Buffer.from(begin, 'latin1'), lines]))
      for (const command of ['verify', 'score', 'audit']) {
        const { code, out, err } = await alvarium([command, ...key, path])
        expect([code, (out + err).trimEnd().split('\n').sort().reverse()]).toEqual([
          2,
          [expect.stringContaining('cannot tell'), expect.stringContaining(`expected messages, got ${kind}`)],
        ])
      }
    },
  )

  it('names the field that was altered, and the value that was signed', async () => {
    const { key, sealed } = await signer()
    const { a, b, c } = await sealed()
    const input = [
      text(a).replace('"isSatisfied":false', '"isSatisfied":true'),
      text(b).replace('"action":"create"', '"action":"publish"'),
      text(c).replace('"layer":"app"', '"layer":"os"'),
      text(c).replace('edge-7', 'edge-8'),
    ].join('\n')
    const { code, out } = await alvarium(['verify', ...key, '--json'], { input })
    const altered = lines(out).map((line) => JSON.parse(line).altered)
    expect(code).toBe(1)
    expect(altered).toEqual([
      { field: 'annotations[1].isSatisfied', signed: 'false', came: 'true' },
      { field: 'action', signed: 'create', came: 'publish' },
      { field: 'layer', signed: 'app', came: 'os' },
      undefined, // a host can be any text
    ])
  })

  it('reports an altered payload key if the payload is given', async () => {
    const { key, sealed, write } = await signer()
    const { a, b } = await sealed()
    const [ofA, ofB] = [a, b].map((message) => JSON.parse(text(message)).content.key)
    const args = ['verify', ...key, '--payload', await write('a', 'a')]
    const { out } = await alvarium(args, { input: text(a).replace(ofA, ofB) })
    expect(out).toContain(`key was altered: signed is ${ofA}, the message says ${ofB}`)
  })

  it('continues after a line that is not a message, and counts the line as refused', async () => {
    const { key, sealed, write } = await signer()
    const { a, b, batch } = await sealed()
    const path = await write(
      'mixed.ndjson',
      `${text(a)}\r\n\n{"torn":"\n${text(b).slice(0, 40)}\n${text(batch)}`,
    )
    const { code, out } = await alvarium(['verify', ...key, path])
    expect(code).toBe(1)
    expect(out.match(/^✓ create/gm)).toHaveLength(4)
    expect(out).toContain('mixed.ndjson:3  MESSAGE_MALFORMED')
    expect(out).toContain('mixed.ndjson:4  MESSAGE_MALFORMED')
    expect(out).toMatch(/✗ does not hold: 4 messages: 2 verified, 2 refused, on the trust of \S+\n$/)
  })

  it.each<[string, (message: Uint8Array) => string | Uint8Array]>([
    ['CBOR', (message) => message],
    ['CBOR in hexadecimal', (message) => `${toHex(message)}\n`],
    ['CBOR in base64', (message) => Buffer.from(message).toString('base64')],
  ])('accepts messages in %s', async (_, written) => {
    const { key, sealed, write } = await signer()
    const path = await write('message', written((await sealed({ codec: cbor() })).a))
    expect(await alvarium(['verify', ...key, path])).toMatchObject({ code: 0 })
  })

  it.each<[string, (messages: string[]) => string]>([
    ['an array', (messages) => `[${messages.join(',\n')}]`],
    ['messages over several lines', (messages) => messages.map(overSeveralLines).join('\n')],
  ])('accepts several messages as %s', async (_, written) => {
    const { key, sealed } = await signer()
    const { a, b } = await sealed()
    const { code, out } = await alvarium(['verify', ...key], { input: written([text(a), text(b)]) })
    expect([code, out]).toEqual([0, expect.stringContaining('2 messages: 2 verified')])
  })

  it.each([
    ['after an array', (a: string, b: string) => `[${a}] ${b.replace('create', 'transit')}`],
    ['in an array that was cut off', (a: string) => `[${a}, `],
  ])('refuses text %s', async (_, written) => {
    const { key, sealed } = await signer()
    const { a, b } = await sealed()
    const { code, out } = await alvarium(['verify', ...key], { input: written(text(a), text(b)) })
    expect([code, out]).toEqual([1, expect.stringContaining('2 messages: 1 verified, 1 refused')])
  })

  it('accepts a bundle extracted from a batch, as an argument', async () => {
    const { key, sealed } = await signer()
    const evidence = text(extractBundle((await sealed()).batch, 1))
    expect(await alvarium(['verify', ...key, evidence])).toMatchObject({ code: 0 })
  })

  it.each(['go', 'java', 'python', 'rust'])('accepts classic messages of the SDK of %s', async (dialect) => {
    const { write } = await signer()
    const theirs = everyCase
      .filter(([, whose, { annotations }]) => whose === dialect && annotations.length > 0)
      .map(([, , { message }]) => message)
    const path = await write('their.key', vectorBytes(`keys/${dialect}-public.key`))
    const { code, out } = await alvarium(['verify', '-k', path, '--json'], { input: theirs.join('\n') })
    expect(code).toBe(0)
    for (const line of lines(out)) {
      expect(JSON.parse(line)).toMatchObject({ verdict: 'verified', format: 'classic', dialect })
    }
  })

  it('has exit code 2 for a classic message without annotations, because nothing of it is signed', async () => {
    const { key } = await signer()
    const content = Buffer.from('{"items":[]}').toString('base64')
    const input = JSON.stringify({ action: 'create', messageType: 'contracts.AnnotationList', content })
    const { code, out } = await alvarium(['verify', ...key], { input })
    expect([code, out]).toEqual([
      2,
      expect.stringContaining('? no annotations: nothing of it is signed; needs'),
    ])
  })

  it('trusts every public key in a folder', async () => {
    const { cwd, sealed, write } = await signer()
    await write('README', 'not a key')
    expect(await alvarium(['verify', '-k', cwd], { input: (await sealed()).a })).toMatchObject({ code: 0 })
  })

  it('names --payload if the payload cannot be read', async () => {
    const { key } = await signer()
    const { code, err } = await alvarium(['verify', ...key, '--payload', 'nowhere'], { input: '{}' })
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(/^alvarium: --payload nowhere: expected a file .*ENOENT/),
    ])
  })

  it('compares the payload with each bundle of a batch, and names the bundle that is about the payload', async () => {
    const { key, sealed, write } = await signer()
    const { a, batch } = await sealed()
    const args = ['verify', ...key, '--payload', await write('b', 'b')]
    const other = await alvarium(args, { input: a })
    expect([other.code, other.out]).toEqual([1, expect.stringContaining('PAYLOAD_MISMATCH')])
    const { code, out } = await alvarium([...args, '--json'], { input: batch })
    const checked = JSON.parse(out).bundles.map(
      (bundle: { payloadChecked: boolean }) => bundle.payloadChecked,
    )
    expect([code, checked]).toEqual([0, [false, true, false]])
  })

  // claim: sources-25
  it.each(['', '--hash md5', '--dialect go'])(
    'verifies a payload file that is too long to buffer (options of annotate: "%s")',
    async (options) => {
      const how = options.split(' ').filter(Boolean)
      const { at, key, write } = await signer()
      const content = Buffer.alloc(17 * 1024 * 1024, 'x')
      const file = await write('long.bin', content)
      const { out } = await alvarium(['annotate', '-k', at('private.key'), ...how, file])
      const verify = () => alvarium(['verify', ...key, '--payload', file], { input: out })
      expect(await verify()).toMatchObject({ code: 0, err: '' })
      content[content.length - 1] = 0
      await writeFile(file, content)
      const { code, out: said } = await verify()
      expect([code, said]).toEqual([1, expect.stringContaining('PAYLOAD_MISMATCH')])
    },
  )

  // claim: command-5
  describe('--payload with a file that was annotated record by record', () => {
    const content = 'celsius,place\n21.4,hall\n21.9,"in\nthe yard"\n20.0,cellar\n'

    async function annotateWith(options = '') {
      const how = options.split(' ').filter(Boolean)
      const { at, key, write } = await signer()
      const file = await write('readings.csv', content)
      const { out } = await alvarium(['annotate', '-k', at('private.key'), ...how, file])
      const verify = (messages = out) => alvarium(['verify', ...key, '--payload', file], { input: messages })
      return { file, out, verify }
    }

    it.each(['', '--batch 8', '--dialect rust', '-f whole'])(
      'accepts the unchanged file (options of annotate: "%s")',
      async (options) => {
        const { verify } = await annotateWith(options)
        expect(await verify()).toMatchObject({ code: 0, err: '' })
      },
    )

    it.each(['', '--batch 8', '--dialect rust'])(
      'refuses the file if one record was altered (options of annotate: "%s")',
      async (options) => {
        const { file, verify } = await annotateWith(options)
        await writeFile(file, content.replace('21.4', '99.9'))
        const { code, out } = await verify()
        expect([code, out]).toEqual([1, expect.stringContaining('PAYLOAD_MISMATCH')])
      },
    )

    it.each(['20.0,attic\n', '"20.0",cellar\n'])(
      'refuses the file with an added record: %j',
      async (added) => {
        const { file, verify } = await annotateWith()
        await writeFile(file, content + added)
        const { code, out } = await verify()
        expect([code, out]).toEqual([1, expect.stringContaining(`3 messages: 3 verified; ${UNSAID}`)])
      },
    )

    it('refuses the file if the message about a record is missing', async () => {
      const { out, verify } = await annotateWith()
      const { code, out: said } = await verify(out.slice(out.indexOf('\n') + 1))
      expect([code, said]).toEqual([
        1,
        expect.stringContaining(`✗ does not hold: 2 messages: 2 verified; ${UNSAID}`),
      ])
    })

    it('names the reason why the file cannot be split into records', async () => {
      const { file, verify } = await annotateWith()
      await writeFile(file, `${content}1,5" pipe\n`)
      const { code, out } = await verify()
      expect([code, out]).toEqual([
        1,
        expect.stringMatching(/the whole file was compared: .*readings\.csv:6:4: /),
      ])
    })
  })

  it('prints nothing about valid messages with --quiet', async () => {
    const { key, sealed } = await signer()
    const { a, b } = await sealed()
    const input = `${text(a)}\n${text(b).replace('edge-7', 'edge-8')}`
    const { out } = await alvarium(['verify', ...key, '--quiet'], { input })
    expect(out).toMatch(
      /^✗ stdin:2 .*\n✗ does not hold: 2 messages: 1 verified, 1 refused, on the trust of \S+\n$/,
    )
  })

  it('reports a line that is longer than a message may be, and verifies the next line', async () => {
    const { key, sealed } = await signer()
    const input = Buffer.concat([Buffer.alloc(33 * 1024 * 1024, '{'), Buffer.from('\n'), (await sealed()).a])
    const { out } = await alvarium(['verify', ...key], { input })
    expect(out).toContain('✗ stdin:1  MESSAGE_MALFORMED')
    expect(out).toContain('2 messages: 1 verified, 1 refused')
  })

  it('reports its progress when it is interrupted', async () => {
    const { key, sealed, write } = await signer()
    const { a, b } = await sealed()
    const path = await write('two.ndjson', `${text(a)}\n${text(b)}`)
    const { code, out } = await alvarium(['verify', ...key, '-q', path], { signal: AbortSignal.abort() })
    expect([code, out]).toEqual([
      130,
      expect.stringMatching(/^\? cannot tell: 0 messages: 0 verified, then it was stopped, /),
    ])
  })
})

describe('alvarium verify exits with 2, because it cannot decide,', () => {
  it.each([
    ['there is no key', [], 'there-is-none', '--key: needs the file of a public key'],
    ['there is no message', ['-k', 'public.key'], '-', ''],
    ['a folder has no key', ['-k', 'empty'], '-', 'empty: expected a folder with public keys'],
    ['a key file contains no key', ['-k', 'note'], '-', 'note: expected 64 hexadecimal digits'],
  ])('when %s', async (_, keys, source, said) => {
    const { at, write } = await signer()
    await mkdir(at('empty'))
    await write('note', 'not a key')
    const args = ['verify', ...keys.map((arg) => (arg === '-k' ? arg : at(arg))), source]
    expect(await alvarium(args)).toMatchObject({ code: 2, err: expect.stringContaining(said) })
  })

  it('when an option is misspelt', async () => {
    const { code, err } = await alvarium(['verify', '--kye', 'x'])
    expect([code, err]).toEqual([
      2,
      "alvarium: unknown option '--kye' (Did you mean --key?)\n(alvarium verify --help shows how)\n",
    ])
  })
})

const lines = (out: string) => out.trim().split('\n')
const overSeveralLines = (message: string) => JSON.stringify(JSON.parse(message), null, 2)
