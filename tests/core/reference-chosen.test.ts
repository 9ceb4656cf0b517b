// @node-only: it starts processes
// @alone

import { spawnSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import loadWabt from 'wabt'

const cwd = fileURLToPath(new URL('../..', import.meta.url))
const moduleOf = (name: string) => fileURLToPath(import.meta.resolve(`alvarium-sdk/${name}.wasm`))

/**
 * Returns the lengths of the modules that a program has compiled once it has imported these names and made a key pair.
 */
function compiledBy(...names: readonly string[]): number[] {
  const program = `
    const lengths = []
    WebAssembly.Module = new Proxy(WebAssembly.Module, {
      construct(target, [bytes]) {
        lengths.push(bytes.byteLength)
        return new target(bytes)
      },
    })
    for (const name of ${JSON.stringify(names)}) await import(name)
    const { generateKey } = await import('alvarium-sdk')
    generateKey()
    console.log(JSON.stringify(lengths))`
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd,
    encoding: 'utf8',
  })
  return JSON.parse(stdout)
}

describe('alvarium-sdk/reference', () => {
  it.each([
    ['before other names', ['alvarium-sdk/reference', 'alvarium-sdk', 'alvarium-sdk/packs']],
    ['after other names', ['alvarium-sdk', 'alvarium-sdk/packs', 'alvarium-sdk/reference']],
    ['between other names', ['alvarium-sdk/score', 'alvarium-sdk/reference', 'alvarium-sdk/sets']],
  ])('provides the only core of a program that imports it %s', (_, names) => {
    const lengths = compiledBy(...names)
    expect(lengths).toContain(statSync(moduleOf('reference')).size)
    expect(lengths).not.toContain(statSync(moduleOf('core')).size)
  })

  it('is the only entry of the package that loads the reference core', () => {
    expect(compiledBy('alvarium-sdk')).toEqual([statSync(moduleOf('core')).size])
  })

  it('replaces a core that was used before', () => {
    const program = `
      const { generateKey, signBytes } = await import('alvarium-sdk')
      const { signingKey } = generateKey()
      const before = signBytes(signingKey, new Uint8Array())
      await import('alvarium-sdk/reference')
      console.log(String(signBytes(signingKey, new Uint8Array())) === String(before))`
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      cwd,
      encoding: 'utf8',
    })
    expect(stdout).toBe('true\n')
  })
})

describe('reference.wasm', () => {
  const validated = async (name: string) =>
    (await loadWabt()).readWasm(readFileSync(moduleOf(name)), { simd: false, readDebugNames: false })

  // claim: security-13
  it('has no SIMD instruction, while core.wasm has some', async () => {
    await expect(validated('core')).rejects.toThrow('expected valid local type')
    await expect(validated('reference')).resolves.toBeDefined()
  })
})
