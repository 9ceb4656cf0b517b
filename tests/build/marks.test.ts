import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const tests = join(import.meta.dirname, '..')
const INTERNAL = /^(?:\/\/ @.*\n)*\/\/ @internal: \S+ \S+/
const REACHES_IN = /'(?:\.\.\/)+dist\//

const files = readdirSync(tests, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && name !== join('build', 'marks.test.ts'))
  .map((name) => ({ name, text: readFileSync(join(tests, name), 'utf8') }))
const namesOf = (pattern: RegExp) => files.filter(({ text }) => pattern.test(text)).map(({ name }) => name)

it('exactly the files of tests/ that import from dist have a comment // @internal: REASON', () => {
  expect(namesOf(REACHES_IN)).toEqual(namesOf(INTERNAL))
})
