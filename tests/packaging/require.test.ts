import { execFile } from 'node:child_process'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { printed } from './packed.js'

const { folder } = inject('packed')

describe('require() of the package, which has only ES modules,', () => {
  it('loads the same modules as import, so that there is one copy of each', async () => {
    expect(JSON.parse(await printed('node', ['node-both/main.mjs', 'alvarium-sdk'], folder))).toMatchObject({
      isOneCopy: true,
      works: true,
    })
  })

  it('can sign and verify', async () => {
    expect(await printed('node', ['node-require/main.cjs'], folder)).toBe('[["src",true]]')
  })

  it('fails in Node without require(esm), with an error that names the package', async () => {
    const args = ['--no-experimental-require-module', 'node-require/main.cjs']
    const { stderr } = await promisify(execFile)('node', args, { cwd: folder }).catch((error) => error)
    expect(stderr).toContain('ERR_REQUIRE_ESM')
    expect(stderr).toContain(join('node_modules', 'alvarium-sdk'))
  })
})

describe('two copies of the package in one process', () => {
  let found: object
  beforeAll(async () => {
    const modules = join(folder, 'node_modules')
    await cp(join(modules, 'alvarium-sdk'), join(modules, 'alvarium-copy'), { recursive: true })
    found = JSON.parse(await printed('node', ['node-both/main.mjs', 'alvarium-copy'], folder))
  })

  it('are loaded separately, and both work', () => {
    expect(found).toMatchObject({ isOneCopy: false, works: true })
  })

  // claim: delivery-52
  it("recognize each other's AlvariumError", () => {
    expect(found).toMatchObject({ knowsErrors: [true, true], takesOthersForErrors: [false, false] })
  })

  it("recognize each other's Keyring, and verify with it", () => {
    expect(found).toMatchObject({ knowsKeyrings: [true, true], verified: [['src'], ['src']] })
  })

  it('distinguish instances of a subclass of AlvariumError from other errors', () => {
    expect(found).toMatchObject({ knowsSubclass: [true, false] })
  })

  it('allow an SDK of one copy to use a pool of the other copy', () => {
    expect(found).toMatchObject({ pooled: ['src'] })
  })
})
