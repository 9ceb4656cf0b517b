// @node-only: it reads files
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { importLine, importsIn } from '../../examples/guide/build/imports.mjs'
import { entries, ROOT } from '../../examples/guide/build/pages.mjs'

const rows = importsIn()

describe("README's table of imports", () => {
  it('lists each entry point of the packages once', () => {
    expect(rows.map(({ from }) => from).sort()).toEqual(
      entries()
        .map(([name]) => name)
        .sort(),
    )
  })

  it.each(rows.filter(({ names }) => names.length > 0))('names only exports of $from', ({ from, names }) => {
    const module = new Map(entries()).get(from)
    const report = readFileSync(join(ROOT, 'tests/packaging/api', reportOf(from, module)), 'utf8')
    const exported = new Set(
      [...report.matchAll(/^export (?:const|function|class) (\w+)/gm)].map(([, name]) => name),
    )
    expect(names.filter((name) => !exported.has(name))).toEqual([])
  })
})

it('importLine writes each of many names on its own line, and without names imports only the module', () => {
  const names = ['openSdk', 'source', 'verifyMessage', 'generateKey', 'subscribe']
  expect(importLine({ from: 'alvarium-sdk', names, purpose: '' }).split('\n')).toHaveLength(7)
  expect(importLine({ from: 'alvarium-sdk/pool', names: ['pool'], purpose: '' })).toBe(
    "import { pool } from 'alvarium-sdk/pool'",
  )
  expect(importLine({ from: 'a/b', names: [], purpose: '' })).toBe("import 'a/b'")
})

/** Returns the name of an entry's API report: `sources-node.api.md` for `alvarium-sdk/sources/node`. */
function reportOf(from: string, module = ''): string {
  const [, ...path] = from.split('/')
  return `${path.length > 0 ? path.join('-') : module === 'index' ? 'alvarium-sdk' : from}.api.md`
}
