import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

/** Returns the cells after a row's name, in the first table with such a row below this heading. */
function cellsOf(page: string, heading: string, name: string): string[] {
  const row = page
    .slice(page.indexOf(heading))
    .split('\n')
    .find((line) => line.startsWith(`| ${name} |`))
  return (row ?? '').split('|').slice(2, -1)
}

/** Reads numbers such as `1,783`, also in bold. */
const numbers = (cells: string[]) => cells.map((cell) => Number(cell.replaceAll(/[*, ]/g, '')))

const bench = read('bench/README.md')
const measured = (name: string) => numbers(cellsOf(bench, '## Beside the other SDKs', name))
const ours = measured('alvarium-sdk, a call at a time')
const told = (name: string) => cellsOf(read('README.md'), '## Speed', name)

/** Returns the quotient of each cell of a row and ours, in two digits. */
const ratios = (name: string) =>
  measured(name).map((micros, at) => Number((micros / (ours[at] as number)).toPrecision(2)))

// claim: readme-13
it.each([
  'alvarium-sdk, `createMany` by 256',
  'Rust SDK',
  'Go SDK',
  'Python SDK',
  'plain `node:crypto`, one signature per call',
])('README states the same times relative to this SDK as bench/README.md: %s', (name) => {
  expect(ours).toHaveLength(3)
  expect(numbers(told(name))).toEqual(ratios(name))
})

it('README states the times of the Java SDK relative to this SDK, as released and after the changes of the performance report', () => {
  const [row] = read('README.md')
    .split('\n')
    .filter((line) => line.startsWith('| Java SDK; '))
  const cells = (row ?? '')
    .split('|')
    .slice(2, -1)
    .map((cell) => cell.split(';'))
  const [java, changed] = [0, 1].map((at) => numbers(cells.map((cell) => cell[at] ?? '')))
  expect(java).toEqual(ratios('Java SDK'))
  expect(changed).toEqual(ratios('Java SDK, with all changes of the report'))
})
