// @node-only: it reads files
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from '../../examples/guide/build/pages.mjs'
import { alvarium } from '../cli/command.js'

const GUIDE = 'examples/guide'
const REPORTS = 'tests/packaging/api'

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

const pages = ['README.md', ...readdirSync(join(ROOT, GUIDE)).map((name) => `${GUIDE}/${name}`)]
  .filter((path) => path.endsWith('.md'))
  .map(read)
  .join('\n')

/** Lists the names of functions, classes and values that the package exports; types are in the signatures of these. */
function exports(): string[] {
  const reports = readdirSync(join(ROOT, REPORTS)).map((name) => read(`${REPORTS}/${name}`))
  const names = reports.flatMap((report) =>
    [...report.matchAll(/^export (?:abstract )?(?:const|function|class|enum) (\w+)/gm)].map(
      ([, name]) => name as string,
    ),
  )
  return [...new Set(names)]
}

it('every option in the shell completion of the command is mentioned in a page of the guide', async () => {
  const { out } = await alvarium(['completion', 'bash'])
  const names = [...new Set(out.match(/--[a-z][a-z-]*/g))]
  expect(names.length).toBeGreaterThan(50)
  expect(names.filter((name) => !new RegExp(`${name}(?![\\w-])`).test(pages))).toEqual([])
})

it('every function, class and value that the package exports is mentioned in a page of the guide', () => {
  const names = exports()
  expect(names.length).toBeGreaterThan(100)
  expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(pages))).toEqual([])
})
