// @slow

import { join } from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { diagnosticsOf } from '../support/typescript.js'
import { examples, moduleOf, OPTIONS } from './examples.js'

it('examples in docstrings compile against the types of the package', async () => {
  // Examples for bundlers are checked by npm run matrix.
  const all = examples().filter(({ code }) => !code.includes("?url'"))
  const sources = new Map<string, string>()
  for (const [at, example] of all.entries()) {
    sources.set(join(import.meta.dirname, `${at}.mts`), await moduleOf(example))
  }
  const paths = [...sources.keys()]
  const faults = diagnosticsOf(sources, { ...OPTIONS, noEmit: true }).map(({ file, messageText }) => {
    const place = all[paths.indexOf(file?.fileName ?? '')]?.place
    return `${place}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`
  })
  expect(faults).toEqual([])
})
