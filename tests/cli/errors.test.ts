import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { alvarium, withoutFolder } from './command.js'
import { signer } from './messages.js'

describe('an error of the command', () => {
  it.each([
    ['annotate x -k seed', '--key seed: expected seed and public key', 'add --seed'],
    ['annotate x -k nokey', '--key nokey: expected the path', 'alvarium keygen makes a key pair'],
    ['annotate x -k private.key -a pki --pki-key no', '--pki-key no: expected', 'alvarium key show'],
    ['annotate x -k private.key --url foo --topic t', '--url: expected a URL', 'ws://localhost:9001'],
    ['annotate x -k private.key --url ws://x --topic a/#', '--topic: expected a topic', 'readings/hall'],
    ['annotate x -c no.json', '--config no.json: expected', 'alvarium config check'],
    ['annotate x -k private.key -o no/x', '--out no/x: expected a file that can be opened', 'ENOENT'],
    ['verify x -k private.key', '--key private.key: expected a public key', 'alvarium key show'],
    ['key show nokey', 'alvarium: nokey: expected the path', 'alvarium keygen'],
    ['listen foo t -k public.key', '<url>: expected a URL', 'ws://localhost:9001'],
    ['listen ws://127.0.0.1:1 t -k public.key', '<url>: expected a broker', 'alvarium broker starts one'],
  ])(
    'names the faulty argument and one thing to do next, in terms of the command line: %s',
    async (line, said, next) => {
      const { at, write } = await signer()
      await write('x', '1')
      await write('seed', '00'.repeat(32))
      const isFile = /^(private\.key|public\.key|seed|x|no\.json|no\/x)$/
      const full = line.split(' ').map((word) => (isFile.test(word) ? at(word) : word))
      const { code, err } = await alvarium(full)
      const short = withoutFolder(err)
      expect([code, short]).toEqual([2, expect.stringContaining(said)])
      expect(short).toContain(next)
      expect(short).not.toMatch(/signingKey|verifyingKey|clientId|readKey|stream\./)
    },
  )

  it.each(['annotate x -k', 'verify x -k', 'key show'])(
    'does not show a key that was passed in place of a path: %s',
    async (line) => {
      const { at } = await signer()
      const key = await readFile(at('private.key'), 'utf8')
      const { code, err } = await alvarium([...line.split(' '), key])
      expect([code, err]).toEqual([2, expect.stringContaining('what may be a key itself')])
      expect(err).not.toContain(key.slice(0, 20))
    },
  )

  it.each(['verify', 'check x', 'audit'])(
    'names a missing file once, and does not call it a fault of a config: %s',
    async (line) => {
      const { at, write } = await signer()
      await write('x', '1')
      const args = line.split(' ').map((word) => (word === 'x' ? at(word) : word))
      const { out, err } = await alvarium([...args, at('no-such-file'), '-k', at('public.key')])
      expect(out + err).not.toContain('CONFIG_INVALID')
      expect(withoutFolder(out + err).match(/no-such-file/g)).toHaveLength(1)
    },
  )

  // claim: command-18
  it.each([
    'annotate x -k key --action mutate --from a --hash md5 --hash sha256',
    'annotate x -k key -k key',
    'verify x -k a -k b --payload one --payload two',
    'verify x -k a --json --json',
    'listen ws://x t -k a -n 1 --count 2',
    'store lineage x -d a -d b',
    'store ingest x -d a --trust a -t b -k c',
    'pack make x -o a --out b',
    'trust add x --key a --trust b --trust c',
  ])('names an option that may be used only once but is repeated: %s', async (line) => {
    const { code, out, err } = await alvarium(line.split(' '))
    expect([code, out, err]).toEqual([2, '', expect.stringMatching(/^alvarium: --\S+: was given twice/)])
    expect(err).toContain(
      `(alvarium ${/^(\w+ )(?:(?<=(?:store|pack|trust) )\w+ )?/.exec(line)?.[0]}--help shows how)`,
    )
  })

  it.each([
    'listen ws://me:secret@x t -k public.key',
    'verify -k public.key --topic t --url ws://me:secret@x',
  ])('shows no password: %s', async (line) => {
    const { at } = await signer()
    const { code, err } = await alvarium(line.replace('public.key', at('public.key')).split(' '))
    expect([code, err]).toEqual([2, expect.stringContaining('expected a URL without user and password')])
    expect(err).not.toContain('secret')
  })
})
