import { join } from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { examples, moduleOf, OPTIONS } from './examples.js'

it('examples in docstrings have the types that the package has', async () => {
  // What only bundlers have stands in npm run matrix.
  const all = examples().filter(({ code }) => !code.includes("?url'"))
  const sources = new Map<string, string>()
  for (const [at, example] of all.entries()) {
    sources.set(join(import.meta.dirname, `${at}.mts`), await moduleOf(example))
  }
  const faults = faultsIn(sources).map(([at, text]) => `${all[at]?.place}: ${text}`)
  expect(faults).toEqual([])
}, 60_000)

/** What TypeScript says of modules that are only here: the place of each in the list, and a text. */
function faultsIn(sources: ReadonlyMap<string, string>): [at: number, text: string][] {
  const paths = [...sources.keys()]
  const options = { ...OPTIONS, noEmit: true }
  const host = ts.createCompilerHost(options)
  const { fileExists, readFile } = host
  host.fileExists = (path) => sources.has(path) || fileExists(path)
  host.readFile = (path) => sources.get(path) ?? readFile(path)
  return ts
    .getPreEmitDiagnostics(ts.createProgram(paths, options, host))
    .map(({ file, messageText }) => [
      paths.indexOf(file?.fileName ?? ''),
      ts.flattenDiagnosticMessageText(messageText, ' '),
    ])
}
