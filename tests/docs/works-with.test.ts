import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from '../../examples/guide/build/pages.mjs'

const PAGE = 'examples/guide/works-with.md'

/** Files that pin the versions of tools; a test can pin one itself. */
const PINS = [
  'package.json',
  ...['go', 'dsse', 'torchwood'].map((name) => `tests/independent/${name}/go.mod`),
]

const text = (path: string) => readFileSync(join(ROOT, path), 'utf8')

function rowsWithTests(): string[][] {
  const rows = text(PAGE)
    .split('\n')
    .filter((line) => line.startsWith('|') && line.includes('.test.ts)'))
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

const testsIn = (cell: string) =>
  [...cell.matchAll(/\]\((\S+\.test\.ts)\)/g)].map(([, link]) => link as string)

it("the guide's page of tools links only to tests that exist", () => {
  const rows = rowsWithTests()
  expect(rows.length).toBeGreaterThan(15)
  const links = rows.flatMap((cells) => testsIn(cells.at(-1) as string))
  expect(links.filter((link) => !existsSync(join(ROOT, dirname(PAGE), link)))).toEqual([])
})

// claim: works-with-1
it("the guide's page of tools states the versions that the tests run", () => {
  const rows = rowsWithTests().filter((cells) => cells.length === 4)
  expect(rows.length).toBe(12)
  const unpinned = rows.filter(([, version, , tests]) => {
    const files = [...PINS, ...testsIn(tests as string).map((link) => join(dirname(PAGE), link))]
    return !files.some((file) => new RegExp(`[@=" ]${version?.replaceAll('.', '\\.')}\\b`).test(text(file)))
  })
  expect(unpinned.map(([tool]) => tool)).toEqual([])
})
