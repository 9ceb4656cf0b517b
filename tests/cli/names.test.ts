import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { keyOf } from 'alvarium-sdk'
import { afterEach, describe, expect, it } from 'vitest'
import { alvarium, inPipe } from './command.js'
import { signer, text } from './messages.js'

/** Names that a file system accepts, and people do not expect. */
const HOSTILE = [
  'with space',
  'two\nlines',
  'escape\x1b[2J\x1b[31m',
  '-k',
  '--help',
  '-',
  'it\'s "quoted" `$(touch owned)`',
  '*?[a-z]',
  'turned\u202eround',
  '{"action":1}',
  '%s%n',
  'é'.repeat(100),
  'a'.repeat(255),
]

/** A name in Latin-1, as on old disks: its é is not UTF-8. */
const NOT_UTF8 = Buffer.from('caf\xe9.txt', 'latin1')

async function folderOf(content: (name: string) => string | Uint8Array) {
  const one = await signer()
  mkdirSync(one.at('in'))
  for (const name of HOSTILE) writeFileSync(join(one.at('in'), name), content(name))
  return one
}

const folderBefore = process.cwd()
afterEach(() => process.chdir(folderBefore))

const CONTROL = /[^\P{Cc}\n]|\p{Cf}/u

describe.skipIf(process.platform !== 'linux')('a folder of files with hostile names', () => {
  it('is annotated, one bundle for each file', async () => {
    const { at } = await folderOf((name) => name)
    const { code, out, err } = await alvarium(['annotate', '-f', 'whole', '-k', at('private.key'), at('in')])
    const keys = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).content.key)
    expect([code, keys.sort()]).toEqual([
      0,
      HOSTILE.map((name) => keyOf(new TextEncoder().encode(name))).sort(),
    ])
    expect(err).not.toMatch(CONTROL)
  })

  it('is verified, and no name affects the terminal', async () => {
    const { at, key, sealed } = await folderOf(() => 'nothing')
    const { a } = await sealed()
    for (const name of HOSTILE) writeFileSync(join(at('in'), name), text(a).replace('edge-7', 'edge-8'))
    const { code, out, err } = await alvarium(['verify', ...key, at('in')])
    expect([code, err]).toEqual([1, ''])
    expect(out.match(/^✗ .*SIGNATURE_INVALID/gm)).toHaveLength(HOSTILE.length)
    expect(out).not.toMatch(CONTROL)
  })

  it.each(HOSTILE.filter((name) => name !== '-' && !name.startsWith('{')))(
    'contains a file that annotate accepts as an argument: %j',
    async (name) => {
      const { at } = await folderOf(() => 'x')
      process.chdir(at('in'))
      const { code, out } = await alvarium(['annotate', '-f', 'whole', '-k', at('private.key'), '--', name])
      expect([code, JSON.parse(out).content.key]).toEqual([0, keyOf(Uint8Array.of(0x78))])
    },
  )

  it('contains files that annotate accepts as arguments of a process', async () => {
    const { at } = await folderOf(() => 'x')
    const names = HOSTILE.filter((name) => !name.startsWith('{'))
    const args = ['annotate', '-f', 'whole', '-k', at('private.key'), '--', ...names]
    const { code, out } = await inPipe(args, { cwd: at('in'), input: 'x' })
    const keys = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).content.key)
    expect([code, keys]).toEqual([0, names.map(() => keyOf(Uint8Array.of(0x78)))])
  })

  it.each(['annotate', 'verify', 'score'])(
    'causes an error that names the file whose name is not UTF-8: alvarium %s',
    async (command) => {
      const { at, key, sealed } = await signer()
      const { a } = await sealed()
      mkdirSync(at('in'))
      const path = Buffer.concat([Buffer.from(`${at('in')}/`), NOT_UTF8])
      writeFileSync(path, 'x')
      writeFileSync(at('in/good'), a)
      const keys = command === 'annotate' ? ['-k', at('private.key')] : key
      const { code, out, err } = await alvarium([command, ...keys, at('in')])
      expect([code, out + err]).toEqual([2, expect.stringContaining('caf\\xe9.txt')])
      expect(out + err).toContain('expected a name in UTF-8, got other bytes: rename it')
      rmSync(path)
    },
  )
})

describe.skipIf(process.platform === 'win32')('a FIFO that has no writer', () => {
  // claim: command-21
  it.each(['annotate', 'verify', 'score', 'audit'])(
    'in a folder of payloads or messages is not opened, and an error names it: alvarium %s',
    async (command) => {
      const { at, key, sealed } = await signer()
      const { a } = await sealed()
      mkdirSync(at('in/deep'), { recursive: true })
      spawnSync('mkfifo', [at('in/deep/pipe'), at('in/.hidden')])
      writeFileSync(at('in/good'), a)
      const keys = command === 'annotate' ? ['-k', at('private.key')] : key
      const { code, out, err } = await alvarium([command, ...keys, at('in')])
      const text = /in\/deep\/pipe:? +expected a regular file, got a FIFO: name it itself to read it/
      expect([code, out + err]).toEqual([2, expect.stringMatching(text)])
      expect(out + err).not.toContain('.hidden')
    },
  )

  it('is skipped in a folder of keys', async () => {
    const { at, key, sealed } = await signer()
    const { a } = await sealed()
    mkdirSync(at('keys'))
    copyFileSync(key[1] as string, at('keys/public.key'))
    spawnSync('mkfifo', [at('keys/pipe')])
    writeFileSync(at('message'), a)
    const args = ['-k', at('keys'), at('message')]
    expect((await alvarium(['verify', ...args])).code).toBe(0)
    const query = ['--query', 'all']
    expect((await alvarium(['pack', 'make', ...query, ...args, '-o', at('pack')])).code).toBe(0)
  })
})
