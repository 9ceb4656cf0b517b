// @node-only: it reads files
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { expect, it } from 'vitest'
import { programFor } from '../../dist/cli/program.js'
import { ROOT } from '../../examples/guide/build/pages.mjs'

const GUIDE = 'examples/guide'
const REPORTS = 'tests/packaging/api'

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

const pages = ['README.md', ...readdirSync(join(ROOT, GUIDE)).map((name) => `${GUIDE}/${name}`)]
  .filter((path) => path.endsWith('.md'))
  .map(read)
  .join('\n')

/** Lists a command and all below it. */
function everyCommand(command: Command): Command[] {
  return [command, ...command.commands.flatMap(everyCommand)]
}

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

it('every option of the command is in a page of the guide', () => {
  const session = { out: {}, err: {} } as Parameters<typeof programFor>[0]
  const options = everyCommand(programFor(session, () => undefined)).flatMap((one) => one.options)
  const names = [...new Set(options.map(({ long }) => long as string))]
  expect(names.length).toBeGreaterThan(50)
  expect(names.filter((name) => !new RegExp(`${name}(?![\\w-])`).test(pages))).toEqual([])
})

it('every function, class and value that the package exports is in a page of the guide', () => {
  const names = exports()
  expect(names.length).toBeGreaterThan(100)
  expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(pages))).toEqual([])
})
