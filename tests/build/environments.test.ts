import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { ENVIRONMENTS, GUIDE_ROWS } from '../matrix/environments/all.mjs'

const page = readFileSync(new URL('../../examples/guide/runtimes.md', import.meta.url), 'utf8')
const table = page.split('\n## ')[0] ?? ''
const rows = [...table.matchAll(/^\| (.+?) \| /gm)].map(([, cell]) => cell).filter((cell) => cell !== 'where')

it('what the guide says of where it runs is what npm run matrix tries', () => {
  expect(rows).toEqual(Object.keys(GUIDE_ROWS))
})

it.each(Object.entries(GUIDE_ROWS))('npm run matrix has environments for %s', (_, names) => {
  expect(ENVIRONMENTS.filter(({ name }) => names.test(name))).not.toEqual([])
})

it('the guide speaks of every environment of npm run matrix, once', () => {
  const mentions = ENVIRONMENTS.map(({ name }) => Object.values(GUIDE_ROWS).filter((row) => row.test(name)))
  expect(mentions.filter(({ length }) => length !== 1)).toEqual([])
})
