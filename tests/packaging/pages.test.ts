import { readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, inject, it } from 'vitest'
import { PAGES } from '../../js/build/package/names.mjs'

const folder = join(inject('packed').folder, 'node_modules/alvarium-sdk/dist/browser')

/** The files that one imports at once, not later. */
async function importedBy(path: string): Promise<string[]> {
  const code = await readFile(path, 'utf8')
  return [...code.matchAll(/(?:\bfrom|\bimport)"(\.[^"]+)"/g)].map(([, to = '']) => join(dirname(path), to))
}

it.each(PAGES)('a page that imports dist/browser/%s.js asks for all that it needs at once', async (name) => {
  const own = new Set(await importedBy(join(folder, `${name}.js`)))
  expect(own.size).toBeGreaterThan(0)
  const later = (await Promise.all([...own].map(importedBy))).flat()
  expect(later.filter((path) => !own.has(path))).toEqual([])
})

it('a page that imports dist/browser/slim.js asks for no core as text, and works with the file', async () => {
  const asked = (await importedBy(join(folder, 'slim.js'))).map((path) => basename(path))
  expect(asked).toContain('shared-sdk.js')
  expect(asked.filter((name) => /^(modules-inline|shared-unpacked)/.test(name))).toEqual([])
  const slim = await import(pathToFileURL(join(folder, 'slim.js')).href)
  expect(() => slim.generateKey()).toThrow('useCore(…) to be called with core.wasm')
  slim.useCore(await readFile(join(folder, '../core.wasm')))
  expect(slim.generateKey().verifyingKey).toHaveLength(32)
})

it('a page reads a trust policy in YAML', async () => {
  const { readTrust } = await import(pathToFileURL(join(folder, 'trust.js')).href)
  await expect(readTrust('signers:\n  - name: 5\n')).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining('signers.0.name: expected'),
  })
})
