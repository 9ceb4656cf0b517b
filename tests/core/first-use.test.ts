// @node-only: it starts a process
// @alone

import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const cwd = fileURLToPath(new URL('../..', import.meta.url))

/** Prints the WebAssembly files read after the import of the package, and after its first keys. */
const SCRIPT = `
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
const read = []
const { readFileSync } = fs
fs.readFileSync = (path, ...more) => {
  const [name] = /[^/]+\\.wasm$/.exec(path) ?? []
  if (name) read.push(name)
  return readFileSync(path, ...more)
}
syncBuiltinESMExports()
const { generateKey } = await import('alvarium-sdk')
const imported = [...read]
generateKey()
generateKey()
console.log(JSON.stringify({ imported, used: read }))`

it("the SDK reads core.wasm once, at its first use, and does not read the other algorithms' WebAssembly", () => {
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', SCRIPT], {
    cwd,
    encoding: 'utf8',
  })
  expect(JSON.parse(stdout)).toEqual({ imported: [], used: ['core.wasm'] })
})

/** Signs with a key of P-256, before and after its module is loaded. */
const P256 = `
import { generateKeyPairSync } from 'node:crypto'
import { loadAlgorithms, signBytes } from 'alvarium-sdk'
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const key = privateKey.export({ format: 'pem', type: 'pkcs8' })
const said = () => {
  try {
    return signBytes(key, new Uint8Array()).length
  } catch ({ code, message }) {
    return code + ' ' + message
  }
}
const early = said()
await loadAlgorithms()
console.log(JSON.stringify([early, said()]))`

// claim: algorithms-6
it('signBytes with a P-256 key throws before loadAlgorithms(), with an error that names loadAlgorithms()', () => {
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', P256], {
    cwd,
    encoding: 'utf8',
  })
  expect(JSON.parse(stdout)).toEqual([
    expect.stringMatching(/^CORE_UNAVAILABLE algorithms: needs await loadAlgorithms\(\)/),
    64,
  ])
})
