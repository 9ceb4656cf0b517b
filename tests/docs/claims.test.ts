import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../../examples/guide/build/pages.mjs'
import { CLAIMS } from './claims.js'

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

/** A page as a reader sees it: links are their text, and every space is one. */
function seen(markdown: string): string {
  return markdown
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/\*\*|`|\\(?=\|)/g, '')
    .replaceAll(/\s+/g, ' ')
}

/** The titles of the tests of a file, and of their groups, as its source has them. */
function titlesIn(file: string): Set<string> {
  const pattern = file.endsWith('.rs')
    ? /#\[test\]\s+fn (?<title>\w+)\(/g
    : /(?:\b(?:it|describe)(?:\.\w+)*|\))\(\s*(?<quote>['"`])(?<title>(?:\\.|(?!\k<quote>)[^\\])*)\k<quote>/g
  return new Set([...read(file).matchAll(pattern)].map(({ groups }) => groups?.['title'] ?? ''))
}

/** Pages and files are read once, however many claims there are. */
function once<T>(compute: (path: string) => T): (path: string) => T {
  const known = new Map<string, T>()
  return (path) => {
    const value = known.get(path) ?? compute(path)
    known.set(path, value)
    return value
  }
}

const textOf = once((page) => seen(read(page)))
const titlesOf = once(titlesIn)

describe.each(CLAIMS)('$page: $claim', ({ page, claim, shownBy: { file, test } }) => {
  it('is what the page still says', () => {
    expect(textOf(page)).toContain(claim)
  })

  it(`is shown by a test of ${file}`, () => {
    expect([...titlesOf(file)]).toContain(test)
  })
})

it('no claim of a page is there twice', () => {
  const all = CLAIMS.map(({ page, claim }) => `${page}: ${claim}`)
  expect(all.filter((one, at) => all.indexOf(one) !== at)).toEqual([])
})
