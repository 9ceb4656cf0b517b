// @slow: it runs the programs of the guide as a user does

import { join } from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { diagnosticsOf } from '../support/typescript.js'
import { type Block, blocksOf, fileOf, isRunnable, PAGES } from './blocks.js'

/** The folder from which the package and its neighbours resolve by name. */
const folder = import.meta.dirname
const blocks = PAGES.flatMap(blocksOf)

const options: ts.CompilerOptions = {
  strict: true,
  // Pages show JavaScript, whose parameters have no types.
  noImplicitAny: false,
  allowJs: true,
  checkJs: true,
  noEmit: true,
  skipLibCheck: true,
  target: ts.ScriptTarget.ESNext,
  module: ts.ModuleKind.NodeNext,
  lib: ['lib.esnext.d.ts'],
  types: ['node'],
}

it('the code and interfaces in the guide compile with the types of the package', () => {
  const sources = new Map([
    ...blocks
      .filter((block) => isRunnable(block) || block.mark === 'service')
      .map((block) => [join(folder, fileOf(block)), block.code] as const),
    ...blocks
      .filter(({ language }) => language === 'ts')
      .map((block) => [join(folder, fileOf(block).replace('.mjs', '.mts')), compared(block)] as const),
  ])
  expect(ts.formatDiagnostics(diagnosticsOf(sources, options), ts.createCompilerHost(options))).toBe('')
})

/** Returns checks that the page's interfaces equal the package's, in both directions. */
function compared({ code }: Block): string {
  const names = [...code.matchAll(/^interface (\w+)/gm)].map(([, name]) => name as string)
  expect(names).not.toEqual([])
  return [
    "import type * as sdk from 'alvarium-sdk'",
    'type Action = sdk.Action',
    'type Logger = sdk.Logger',
    'type JsonWebKey = import("node:crypto").webcrypto.JsonWebKey',
    ...names.map((name) => `export const given${name} = (shown: ${name}): sdk.${name} => shown`),
    ...names.map((name) => `export const of${name} = (shown: keyof ${name}): keyof sdk.${name} => shown`),
    code,
  ].join('\n')
}
