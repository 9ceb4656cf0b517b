import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NAMES, SDK } from '../../js/build/package/names.mjs'

const root = join(import.meta.dirname, '../..')

describe('the package under a scoped name', () => {
  let folder = ''
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'alvarium-scoped-'))
    execFileSync(process.execPath, [join(root, 'js/release/scoped.mjs'), folder])
  })
  afterAll(() => rmSync(folder, { recursive: true }))
  const read = (file: string) => readFileSync(join(folder, file), 'utf8')

  it('re-exports every name of alvarium-sdk, on npm and on JSR', () => {
    const [npm, jsr] = ['package.json', 'jsr.json'].map((file) => JSON.parse(read(file)))
    const paths = Object.keys(npm.exports)
    expect(paths).toHaveLength(Object.keys(NAMES).length)
    expect(Object.keys(jsr.exports)).toEqual(paths)
    for (const path of paths) {
      const text = `export * from "alvarium-sdk${path.slice(1)}"\n`
      const { types, default: code } = npm.exports[path]
      expect([types, code, jsr.exports[path]].map(read)).toEqual([text, text, text])
    }
  })

  it('has the same name and version on npm and on JSR, and needs alvarium-sdk of that version', () => {
    const [npm, jsr] = ['package.json', 'jsr.json'].map((file) => JSON.parse(read(file)))
    expect(npm.name).toMatch(/^@[a-z]+\/[a-z]+$/)
    expect([jsr.name, jsr.version]).toEqual([npm.name, npm.version])
    expect(npm.dependencies).toEqual({ [SDK.name]: npm.version })
    expect(jsr.imports).toEqual({ [SDK.name]: `npm:${SDK.name}@${npm.version}` })
  })
})
