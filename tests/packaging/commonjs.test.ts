import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, inject, it } from 'vitest'
import { printed } from './packed.js'

const typescript = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url))
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

  describe('loaded beside the ES modules', () => {
    const both = () => run(OWN_COPY, 'node-both/main.mjs')

    it('is a copy of its own', async () => {
      expect(await both()).toMatchObject({ isOneCopy: false, works: true })
    })

    it('has one kind of AlvariumError with them', async () => {
      expect(await both()).toMatchObject({ knowsErrors: [true, true], takesOthersForErrors: [false, false] })
    })

    it('has one kind of Keyring with them, which either verifies with', async () => {
      expect(await both()).toMatchObject({ knowsKeyrings: [true, true], verified: [['src'], ['src']] })
    })

    it('tells the instances of a class that was made out of AlvariumError from other errors', async () => {
      expect(await both()).toMatchObject({ knowsSubclass: [true, false] })
    })

    it('seals with a pool of theirs', async () => {
      expect(await both()).toMatchObject({ pooled: ['src'] })
    })
  })

  it.each([
    ['node16', 'node16'],
    ['nodenext', 'nodenext'],
    ['node10', 'commonjs'],
  ])('has types for a CommonJS project with module resolution %s', async (moduleResolution, module) => {
    const flags = [
      '--noEmit',
      '--strict',
      '--target',
      'es2022',
      '--lib',
      'es2022',
      '--ignoreDeprecations',
      '6.0',
    ]
    const modules = ['--module', module, '--moduleResolution', moduleResolution]
    const args = [typescript, '--ignoreConfig', '--skipLibCheck', ...flags, ...modules, 'main.cts']
    await expect(printed(process.execPath, args, join(folder, 'typescript-cjs'))).resolves.toBe('')
  })
})
