import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { entries, ROOT } from '../../examples/guide/build/pages.mjs'

/** An example in a docstring. */
export interface Example {
  /** The file of the example, and the first line of its code. */
  readonly place: string
  readonly code: string
}

/** Compiler options, the same as for the package's sources. */
export const OPTIONS: ts.CompilerOptions = {
  strict: true,
  skipLibCheck: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  lib: ['es2023', 'esnext.disposable', 'dom', 'dom.iterable'].map((name) => `lib.${name}.d.ts`),
  types: ['node'],
}

const COMMENT = /\/\*\*(?:(?!\*\/)[\s\S])*\*\//g
const EXAMPLE = /@example.*\n\s*\* ```ts\n([\s\S]*?)\n\s*\* ```/g

export function examples(): Example[] {
  return readdirSync(join(ROOT, 'js'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.includes('/dist/'))
    .sort()
    .flatMap(examplesOf)
}

function examplesOf(name: string): Example[] {
  const source = readFileSync(join(ROOT, 'js', name), 'utf8')
  return [...source.matchAll(COMMENT)].flatMap((comment) =>
    [...comment[0].matchAll(EXAMPLE)].map(({ 1: lines = '', index }) => ({
      place: `js/${name}:${source.slice(0, comment.index + index).split('\n').length + 2}`,
      code: lines.replaceAll(/^\s*\* ?/gm, ''),
    })),
  )
}

/** The surroundings of examples, as TypeScript: one module for each example, and a shared one. */
export const [SURROUNDINGS, SHARED] = ['surroundings', 'surroundings-of-store'].map((name) =>
  readFileSync(join(import.meta.dirname, `${name}.ts`), 'utf8'),
) as [string, string]
const EXPORTED = /^export (?:const )?(?:(\w+)|\{ (?:\w+ as )?(.+?) \})/gm
const namesIn = (surroundings: string) =>
  [...surroundings.matchAll(EXPORTED)].flatMap(([, one = '', many = '']) =>
    [one, ...many.split(', ')].filter(Boolean),
  )
const TAKEN_FOR_GRANTED = [
  ['./surroundings.js', namesIn(SURROUNDINGS)],
  ['./surroundings-of-store.js', namesIn(SHARED)],
] as const

/**
 * Returns the example as a module. Names that it neither imports nor declares come from the package or its
 * surroundings.
 */
export async function moduleOf({ code }: Example): Promise<string> {
  const own = new Set(madeBy(code))
  const words = new Set(code.match(/\b[a-zA-Z]\w*\b/g))
  const imports = [...code.matchAll(/satisfies (\w+)/g)].map(
    ([, name]) => `import type { ${name} } from 'alvarium-sdk'`,
  )
  for (const [from, names] of [...(await published()), ...TAKEN_FOR_GRANTED]) {
    const wanted = names.filter((name) => words.has(name) && !own.has(name))
    for (const name of wanted) own.add(name)
    if (wanted.length > 0) imports.push(`import { ${wanted.join(', ')} } from '${from}'`)
  }
  return [...imports, code, 'export {}'].join('\n')
}

/** Returns the names that are imported or declared outside of functions. */
function madeBy(code: string): string[] {
  const lists = code.matchAll(/^(?:import(?: type)?|(?:await )?(?:const|using)) (?:\{ (.+?) \}|(\w+))/gm)
  return [...lists].flatMap(([, many = '', one = '']) => [one, ...many.split(/, (?:type )?/)])
}

/** Returns the values of each entry of the packages. Examples import types by themselves. */
async function published(): Promise<(readonly [from: string, names: string[]])[]> {
  const values = entries().filter(([name]) => !/\/verify$/.test(name))
  return Promise.all(values.map(async ([name]) => [name, Object.keys(await import(name))] as const))
}
