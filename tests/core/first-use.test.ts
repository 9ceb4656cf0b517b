import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const cwd = fileURLToPath(new URL('../..', import.meta.url))

/** Says which WebAssembly has been read once the package is imported, and once it has made keys. */
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

it('WebAssembly is read when it is used for the first time, once, and that of other algorithms not with it', () => {
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', SCRIPT], {
    cwd,
    encoding: 'utf8',
  })
  expect(JSON.parse(stdout)).toEqual({ imported: [], used: ['core.wasm'] })
})
