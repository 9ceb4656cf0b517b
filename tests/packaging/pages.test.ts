import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, inject, it } from 'vitest'

const folder = join(inject('packed').folder, 'node_modules/alvarium-sdk/dist/browser')

it('a page reads a trust policy in YAML', async () => {
  const { readTrust } = await import(pathToFileURL(join(folder, 'trust.js')).href)
  await expect(readTrust('signers:\n  - name: 5\n')).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining('signers.0.name: expected'),
  })
})
