import { generateKeyPairSync } from 'node:crypto'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { alvarium, folder } from './command.js'

/** Returns the paths of a test's keys, and the options that name them. */
async function places() {
  const cwd = await folder()
  const [secret, open] = [join(cwd, 'private.key'), join(cwd, 'public.key')]
  return { cwd, secret, open, args: ['--out', secret, '--public', open] }
}

describe('alvarium keygen', () => {
  it.each([
    ['Ed25519', 'hex'],
    ['Ed25519', 'seed'],
    ['Ed25519', 'pem'],
    ['Ed25519', 'der'],
    ['Ed25519', 'jwk'],
    ['P-256', 'pem'],
    ['P-256', 'jwk'],
    ['secp256k1', 'der'],
    ['SM2', 'pem'],
  ])(
    'writes a pair of %s keys in the form %s, and both keys have the same key id',
    async (algorithm, form) => {
      const { secret, open, args } = await places()
      const made = await alvarium(['keygen', '-a', algorithm, '-f', form, ...args])
      expect(made).toMatchObject({ code: 0, err: '' })
      const [keyId] = made.out.match(/[\da-f]{32}/) ?? []
      const seed = form === 'seed' ? ['--seed'] : []
      const ofSecret = await alvarium(['key', 'show', '--json', ...seed, secret])
      expect(JSON.parse(ofSecret.out)).toEqual({ file: secret, half: 'private', algorithm, form, keyId })
      const ofOpen = await alvarium(['key', 'show', '--json', open])
      expect(JSON.parse(ofOpen.out)).toMatchObject({ half: 'public', algorithm, keyId })
    },
  )

  // claim: command-1
  it('makes the private key readable only to its owner', async () => {
    const { secret, args } = await places()
    await alvarium(['keygen', ...args])
    expect((await stat(secret)).mode & 0o777).toBe(0o600)
  })

  it.each(['secret', 'open'] as const)(
    'refuses to overwrite the file of the %s half of a key, and does not write the other half either',
    async (half) => {
      const where = await places()
      await writeFile(where[half], 'precious')
      const { code, err } = await alvarium(['keygen', ...where.args])
      expect([code, err]).toEqual([2, expect.stringContaining('expected a new file')])
      expect(await readFile(where[half], 'utf8')).toBe('precious')
      await expect(stat(where[half === 'secret' ? 'open' : 'secret'])).rejects.toThrow('ENOENT')
    },
  )

  it('refuses the same path for both keys, and writes neither of them', async () => {
    const { secret } = await places()
    const { code } = await alvarium(['keygen', '--out', secret, '--public', secret])
    expect(code).toBe(2)
    await expect(stat(secret)).rejects.toThrow('ENOENT')
  })

  it('creates neither key of the pair if the public key cannot be written', async () => {
    const { cwd, secret } = await places()
    const args = ['keygen', '--out', secret, '--public', join(cwd, 'nowhere/public.key')]
    const { code, err } = await alvarium(args)
    expect([code, err]).toEqual([2, expect.stringMatching(/^alvarium: --public …\/public\.key: .*ENOENT/)])
    await expect(stat(secret)).rejects.toThrow('ENOENT')
  })

  it('refuses a form that the algorithm does not have', async () => {
    const { args } = await places()
    const { code, err } = await alvarium(['keygen', '-a', 'P-256', '-f', 'seed', ...args])
    expect([code, err]).toEqual([2, expect.stringContaining('--form: expected pem, der or jwk for P-256')])
  })
})

describe('alvarium key show', () => {
  it('shows a line for each key', async () => {
    const { secret, open, args } = await places()
    await alvarium(['keygen', ...args])
    const { out } = await alvarium(['key', 'show', secret, open])
    expect(out).toMatch(
      /^[\da-f]{32} {2}private {2}Ed25519 {4}hex .*\n[\da-f]{32} {2}public {3}Ed25519 {4}hex .*\n$/,
    )
  })

  it('names the reason why a private key cannot be read, instead of asking for a public key', async () => {
    const { open } = await places()
    const { privateKey } = generateKeyPairSync('ed25519')
    const locked = { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' } as const
    await writeFile(open, privateKey.export(locked))
    const { code, err } = await alvarium(['key', 'show', open])
    expect([code, err]).toEqual([2, expect.stringContaining('labelled PRIVATE KEY, got ENCRYPTED PRIVATE')])
  })

  it('reports an invalid key, and never quotes it', async () => {
    const { open } = await places()
    await writeFile(open, 'my passphrase')
    const { code, out, err } = await alvarium(['key', 'show', open])
    expect([code, out, err]).toEqual([2, '', expect.stringContaining('expected')])
    expect(err).not.toContain('passphrase')
  })
})
