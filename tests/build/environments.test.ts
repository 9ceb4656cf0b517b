import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ENVIRONMENTS, GUIDE_ROWS } from '../matrix/environments/all.mjs'

/** Returns the cells of the table that begins with `where`, one array per row. */
function tableOf(page: string): string[][] {
  const text = readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8')
  const [, table = ''] = text.match(/^\| where \|.*\n\|[-|]+\n((?:\|.*\n)+)/m) ?? []
  return table
    .trimEnd()
    .split('\n')
    .map((line) => line.slice('| '.length, -' |'.length).split(' | '))
}
const rows = tableOf('examples/guide/runtimes.md').map(([where]) => where)

// claim: runtimes-1
it('the guide names the environments that npm run matrix tries', () => {
  expect(rows).toEqual(Object.keys(GUIDE_ROWS))
})

it.each(Object.entries(GUIDE_ROWS))(
  "npm run matrix has an environment for the guide's row %s",
  (_, names) => {
    expect(ENVIRONMENTS.filter(({ name }) => names.test(name))).not.toEqual([])
  },
)

it('each environment of npm run matrix belongs to exactly one row of the guide', () => {
  const mentions = ENVIRONMENTS.map(({ name }) => Object.values(GUIDE_ROWS).filter((row) => row.test(name)))
  expect(mentions.filter(({ length }) => length !== 1)).toEqual([])
})

describe("README's table of environments", () => {
  const table = tableOf('README.md')
  /** Returns whether any environment of the row lacks the means for these steps of the job. */
  const isLacking = (where: string, steps: readonly string[]) =>
    ENVIRONMENTS.filter(({ name }) => GUIDE_ROWS[where as keyof typeof GUIDE_ROWS].test(name)).some(
      ({ without }) => steps.some((step) => without?.[step]),
    )

  it('has the same rows as the guide', () => {
    expect(table.map(([where]) => where)).toEqual(rows)
  })

  // claim: readme-14
  it.each(table)(
    'has a check mark where %s supports a feature, and otherwise names what is missing',
    (where = '', ...cells) => {
      const steps = [['seal', 'refuse', 'batch', 'hold', 'sources', 'algorithms'], ['pool'], ['publish']]
      expect(cells.map((cell) => cell === '✓')).toEqual(steps.map((some) => !isLacking(where, some)))
    },
  )
})
