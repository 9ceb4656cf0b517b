import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
/** The programs of long steps and of people: no compiler and no quick test checks their imports. */
const PROGRAMS = ['tests/*.mjs', 'bench/*.mjs', 'examples/*.mjs', 'js/build/*.mjs', 'js/release/*.mjs']
const NAMED = /^import \{([^}]*)\} from '(\.[^']*\/dist\/[^']*)'/gm

interface Import {
  readonly file: string
  readonly module: string
  readonly names: readonly string[]
}

function importsOf(file: string): Import[] {
  const found = readFileSync(join(root, file), 'utf8').matchAll(NAMED)
  return [...found].map(([, names = '', path = '']) => ({
    file,
    module: join(root, file, '..', path),
    names: names
      .split(',')
      .map((name) => name.trim().split(' as ')[0] as string)
      .filter(Boolean),
  }))
}

it('programs in this repository import only files and names that the build exports', async () => {
  const listed = execFileSync('git', ['ls-files', '-z', '--', ...PROGRAMS], { cwd: root, encoding: 'utf8' })
  const imports = listed.split('\0').filter(Boolean).flatMap(importsOf)
  const missing: string[] = []
  for (const { file, module, names } of imports) {
    const exported = await import(module)
    missing.push(...names.filter((name) => !(name in exported)).map((name) => `${file}: ${name}`))
  }
  expect(imports.length).toBeGreaterThan(10)
  expect(missing).toEqual([])
})
