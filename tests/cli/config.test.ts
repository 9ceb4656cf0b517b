import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { alvarium } from './command.js'
import { signer } from './messages.js'

const half = (path: string) => ({ type: 'ed25519', path })
const config = (at: (name: string) => string) => ({
  annotators: [{ kind: 'src' }, { kind: 'tls' }],
  hash: { type: 'sha256' },
  signature: { private: half(at('private.key')), public: half(at('public.key')) },
  stream: { type: 'console' },
  layer: 'host',
})

describe('alvarium config check', () => {
  it('prints the content of a config, and the key id of its signing key', async () => {
    const { at, keyId, write } = await signer()
    const { code, out } = await alvarium([
      'config',
      'check',
      '--json',
      await write('c.json', JSON.stringify(config(at))),
    ])
    const said = {
      works: true,
      signer: keyId,
      annotators: ['src', 'tls'],
      hash: 'sha256',
      layer: 'host',
      warnings: [],
    }
    expect([code, JSON.parse(out)]).toEqual([0, said])
  })

  it('reports all faults, and has exit code 1', async () => {
    const { at, write } = await signer()
    const wrong = { ...config(at), layer: 'ap', hash: { type: 'sha257' } }
    const { code, out } = await alvarium(['config', 'check', await write('c.json', JSON.stringify(wrong))])
    expect(code).toBe(1)
    expect(out).toMatch(/✗ .*c\.json {2}CONFIG_INVALID\n/)
    expect(out).toMatch(/ {4}hash\.type: expected sha256/)
    expect(out).toMatch(/ {4}layer: expected app/)
  })

  it('warns of annotators that would answer "no" to every call on this machine', async () => {
    const { at, write } = await signer()
    await write('sums', `${'0'.repeat(64)}\n`)
    await write('artifact', 'altered')
    const annotators = [
      { kind: 'src' },
      { kind: 'mock', shouldSatisfy: true },
      { kind: 'mock' },
      { kind: 'checksum', artifactPath: at('artifact'), checksumPath: at('sums') },
      { kind: 'source-code', sourceCodePath: at('there-is-none'), checksumPath: at('sums') },
      { kind: 'sbom', sbomPath: at('artifact') },
    ]
    const file = await write('c.json', JSON.stringify({ ...config(at), annotators }))
    const { code, out } = await alvarium(['config', 'check', file])
    expect([code, out.split('\n').filter((row) => row.startsWith('  ! '))]).toEqual([
      0,
      [
        '  ! mock would answer no to every call: shouldSatisfy is not true',
        '  ! checksum would answer no to every call: the artifact has another checksum than the file says',
        expect.stringMatching(/^ {2}! source-code would answer no to every call: ENOENT.*there-is-none/),
        expect.stringMatching(/^ {2}! sbom would answer no to every call: .*JSON/),
      ],
    ])
  })

  it('does not warn of annotators that are satisfied or whose answer depends on the call', async () => {
    const { at, write } = await signer()
    await write('artifact', 'a')
    await write('sums', createHash('sha256').update('a').digest('hex'))
    const kinds = ['src', 'tls', 'pki', 'pki-http', 'checksum', 'source-code', 'sbom', 'vulnerability']
    const fitting = { kind: 'checksum', artifactPath: at('artifact'), checksumPath: at('sums') }
    for (const annotators of [kinds, [fitting]]) {
      const file = await write('c.json', JSON.stringify({ ...config(at), annotators }))
      const { code, out } = await alvarium(['config', 'check', '--json', file])
      expect([code, JSON.parse(out).warnings]).toEqual([0, []])
    }
  })

  // claim: command-7
  it('has exit code 2 if an error keeps it from checking', async () => {
    const { at, write } = await signer()
    const loop = at('loop')
    await symlink(loop, loop)
    const annotators = [{ kind: 'checksum', artifactPath: loop, checksumPath: loop }]
    const file = await write('c.json', JSON.stringify({ ...config(at), annotators }))
    const { code, out } = await alvarium(['config', 'check', file])
    const said = /\? checksum: it could not be decided whether it can ever be satisfied: .*got ELOOP/
    expect([code, out]).toEqual([2, expect.stringMatching(said)])
    for (const unread of [loop, at('there-is-none'), at('.')]) {
      expect(await alvarium(['config', 'check', unread])).toMatchObject({ code: 2 })
    }
    const signature = { private: half(at('there-is-none')) }
    const keyless = await write('k.json', JSON.stringify({ ...config(at), signature }))
    expect(await alvarium(['config', 'check', keyless])).toMatchObject({ code: 1 })
  })
})

describe('alvarium config check with a file that cannot be parsed', () => {
  it.each([
    ['package-lock.json', '{"'],
    ['pom.xml', '<'],
    ['go.mod', 'module \u00e9'],
  ])('warns that sbom would answer "no" to every call if %s cannot be parsed', async (name, text) => {
    const { at, write } = await signer()
    await write(name, Buffer.from(text, 'latin1'))
    await write('sbom.json', readFileSync(join(import.meta.dirname, '../vectors/sbom/npm.cdx.json')))
    const annotators = [{ kind: 'sbom', sbomPath: at('sbom.json'), buildPath: at('.') }]
    const file = await write('c.json', JSON.stringify({ ...config(at), annotators }))
    const { code, out } = await alvarium(['config', 'check', file])
    expect([code, out]).toEqual([0, expect.stringContaining('! sbom would answer no to every call: ')])
  })

  it.each(['latin1', 'utf16le'] as const)('has exit code 1 if the config is in %s', async (encoding) => {
    const { at, write } = await signer()
    const text = `\ufeff${JSON.stringify({ ...config(at), logging: '\u00e9' })}`
    const file = await write('c.json', Buffer.from(text, encoding))
    expect(await alvarium(['config', 'check', file])).toMatchObject({ code: 1 })
  })
})

describe('alvarium completion', () => {
  /** Returns bash's completions after these words. */
  async function offered({ before = '' }: { before?: string }, ...words: string[]) {
    const { out } = await alvarium(['completion', 'bash'])
    const ask = `COMP_WORDS=(alvarium ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _alvarium; echo "\${COMPREPLY[@]}"`
    return execFileSync('bash', ['-c', `${before}\n${out}\n${ask}`], { encoding: 'utf8' }).trim()
  }

  it('completes commands and options in a shell whose IFS is only the line end', async () => {
    const newLine = "IFS=$'\\n'"
    expect(await offered({ before: newLine }, 'ver')).toBe('verify')
    expect(await offered({ before: newLine }, 'verify', 'x.json', '--pay')).toBe('--payload')
  })

  it('completes commands, subcommands and options, and leaves files to the shell', async () => {
    expect(await offered({}, 'ver')).toBe('verify')
    expect(await offered({}, 'key', 's')).toBe('show')
    expect(await offered({}, 'verify', 'x.json', '--pay')).toBe('--payload')
    expect(await offered({}, 'verify', 'x')).toBe('')
  })

  it.each(['zsh', 'fish'])('prints a completion script for %s', async (shell) => {
    const { code, out } = await alvarium(['completion', shell])
    expect([code, out]).toEqual([0, expect.stringContaining('verify')])
  })
})
