import { existsSync } from 'node:fs'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { verifySet } from 'alvarium-sdk/sets'
import { describe, expect, it } from 'vitest'
import { fromBase64, textOf } from '../support/bytes.js'
import { alvarium, folder } from './command.js'

/** Makes a folder with a model, and a key pair. Returns paths in it, and a function that seals. */
async function model(algorithm = 'P-256') {
  const base = await folder()
  const at = (name: string) => join(base, name)
  await mkdir(at('model/weights'), { recursive: true })
  await writeFile(at('model/rows.csv'), 'id,celsius\n1,21.4\n2,19.8\n')
  await writeFile(at('model/weights/1.bin'), 'weights')
  await alvarium(['keygen', '-a', algorithm, '-o', at('private.key'), '-p', at('public.key')])
  const out = ['-o', at('set.json'), '-l', at('set.list'), '--signature', at('model.sig')]
  const seal = (...more: string[]) =>
    alvarium(['set', 'seal', '-k', at('private.key'), '--as', 'oms', ...out, ...more])
  return { at, seal }
}

describe('alvarium set seal --as oms', () => {
  it("signs the files of a folder, and includes the root of the folder's set in the signature", async () => {
    const { at, seal } = await model()
    const { out, code } = await seal(at('model'), '-n', 'training-8')
    expect([code, out.split('\n')[0]]).toEqual([0, expect.stringMatching(/^✓ 3 sealed, 3 different/)])
    const { dsseEnvelope } = JSON.parse(await readFile(at('model.sig'), 'utf8'))
    const { subject, predicate } = JSON.parse(textOf(fromBase64(dsseEnvelope.payload)))
    expect(subject[0].name).toBe('training-8')
    expect(predicate.resources.map(({ name }: { name: string }) => name)).toEqual([
      'rows.csv',
      'weights/1.bin',
    ])
    const set = await verifySet(await readFile(at('set.json')), {
      keyring: [await readFile(at('public.key'))],
    })
    expect(predicate['https://example.invalid/alvarium-sdk/set/v1'].root).toBe(set.root)
  })

  // claim: sets-25
  it('refuses a folder with links or hidden files, except those of git, and writes nothing', async () => {
    const { at, seal } = await model()
    await mkdir(at('model/.git'))
    await writeFile(at('model/.git/HEAD'), 'ref')
    await writeFile(at('model/.secret'), 'x')
    const hidden = await seal(at('model'))
    expect([hidden.code, hidden.err]).toEqual([2, expect.stringContaining('without links or hidden files')])
    expect(['set.json', 'set.list', 'model.sig'].filter((name) => existsSync(at(name)))).toEqual([])
  })

  it('refuses a salt, a file, two folders, and a folder with a link', async () => {
    const { at, seal } = await model()
    await writeFile(at('salt'), '0'.repeat(64))
    const salted = await seal(at('model'), '--salt', at('salt'))
    const [file, two] = [await seal(at('model/rows.csv')), await seal(at('model'), at('model/weights'))]
    await symlink(at('model/rows.csv'), at('model/link.csv'))
    const linked = await seal(at('model'))
    expect([salted, file, two, linked].map(({ code }) => code)).toEqual([2, 2, 2, 2])
    expect(file.err).toContain('one folder')
  })

  it('refuses a key of Ed25519, before anything is written', async () => {
    const { at, seal } = await model('Ed25519')
    const { code, err } = await seal(at('model'))
    expect([code, err]).toEqual([2, expect.stringContaining('P-256')])
    expect(existsSync(at('set.json'))).toBe(false)
  })
})
