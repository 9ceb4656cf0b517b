import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { ENVIRONMENTS, README_ROWS } from '../matrix/environments/all.mjs'

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
const table = readme.split('## Where it runs\n')[1]?.split('\n## ')[0] ?? ''
const rows = [...table.matchAll(/^\| (.+?) \| /gm)].map(([, cell]) => cell).filter((cell) => cell !== 'where')

it('what README says of where it runs is what npm run matrix tries', () => {
  expect(rows).toEqual(Object.keys(README_ROWS))
})

it.each(Object.entries(README_ROWS))('npm run matrix has environments for %s', (_, names) => {
  expect(ENVIRONMENTS.filter(({ name }) => names.test(name))).not.toEqual([])
})

it('README speaks of every environment of npm run matrix, once', () => {
  const mentions = ENVIRONMENTS.map(({ name }) => Object.values(README_ROWS).filter((row) => row.test(name)))
  expect(mentions.filter(({ length }) => length !== 1)).toEqual([])
})
