import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { printed } from './packed.js'

/** How Node is where CommonJS cannot require ES modules, and how those are whose own loader cannot: Jest, Plug'n'Play. */
const OWN_COPY = '--no-experimental-require-module'

describe('the CommonJS build', () => {
  const { folder } = inject('packed')
  const run = async (...args: string[]) => JSON.parse(await printed('node', args, folder))

  it('is not loaded where Node can require ES modules: there is one copy of everything', async () => {
    expect(await run('node-both/main.mjs')).toMatchObject({ isOneCopy: true, works: true })
  })

  it('works where ES modules cannot be required', async () => {
    expect(await run(OWN_COPY, 'node-require/main.cjs')).toEqual([['src', true]])
  })

  it('has types in the files of types, and nothing that runs', async () => {
    const cjs = join(folder, 'node_modules/alvarium-sdk/dist/cjs')
    const types = (await readdir(cjs)).filter((file) => file.endsWith('.d.cts'))
    expect(types).toContain('default.d.cts')
    for (const file of types) {
      const text = await readFile(join(cjs, file), 'utf8')
      expect(/^(const|let|var|function) |require\(|toStringTag, \{/m.exec(text)?.[0], file).toBeUndefined()
    }
  })

  describe('loaded beside the ES modules', () => {
    let found: object
    beforeAll(async () => {
      found = await run(OWN_COPY, 'node-both/main.mjs')
    })

    it('is a copy of its own', () => {
      expect(found).toMatchObject({ isOneCopy: false, works: true })
    })

    // claim: delivery-52
    it('has one kind of AlvariumError with them', () => {
      expect(found).toMatchObject({ knowsErrors: [true, true], takesOthersForErrors: [false, false] })
    })

    it('has one kind of Keyring with them, which either verifies with', () => {
      expect(found).toMatchObject({ knowsKeyrings: [true, true], verified: [['src'], ['src']] })
    })

    it('tells the instances of a class that was made out of AlvariumError from other errors', () => {
      expect(found).toMatchObject({ knowsSubclass: [true, false] })
    })

    it('seals with a pool of theirs', () => {
      expect(found).toMatchObject({ pooled: ['src'] })
    })
  })
})
