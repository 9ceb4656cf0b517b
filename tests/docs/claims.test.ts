import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { ROOT } from '../../examples/guide/build/pages.mjs'

const LISTS = 'tests/docs/claims'
/** A comment above a test, with the ids of its claims; `next` is the line below. */
const MARK = /^[ \t]*\/\/ claim: (?<ids>.+)\n(?<next>.*)/gm
const TEST = /^\s*(?:(?:it|test|describe)\b(?:\.\w+)*[(<]|#\[test\])/

/** Promises to users: sentences of one page by their ids. */
interface List {
  readonly page: string
  readonly claims: Readonly<Record<string, string>>
}

interface Mark {
  readonly id: string
  readonly file: string
  /** True if it is directly above a test or a group of tests. */
  readonly isOfTest: boolean
}

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

/** Returns a page as a reader sees it: links are their text, and runs of spaces are one. */
function seen(markdown: string): string {
  return markdown
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/\*\*|`|\\(?=\|)/g, '')
    .replaceAll(/\s+/g, ' ')
}

function testFiles(): string[] {
  const crates = readdirSync(join(ROOT, 'crate'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'target')
    .map(({ name }) => join('crate', name))
  return ['tests', ...crates].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(test\.ts|rs)$/.test(file))
      .map((file) => join(folder, file)),
  )
}

function marksIn(file: string): Mark[] {
  return [...read(file).matchAll(MARK)].flatMap(({ groups: { ids = '', next = '' } = {} }) =>
    ids.split(', ').map((id) => ({ id, file, isOfTest: TEST.test(next) })),
  )
}

function placesOf(marks: readonly Mark[]): string {
  return marks.length === 0 ? 'above no test' : `in ${marks.map(({ file }) => file).join(' and ')}`
}

const lists = readdirSync(join(ROOT, LISTS)).map((file) => ({
  name: basename(file, '.yaml'),
  list: parse(read(join(LISTS, file)), { uniqueKeys: true }) as List,
}))
const ids = lists.flatMap(({ list }) => Object.keys(list.claims))
const marks = testFiles().flatMap(marksIn)

describe.each(lists)('the list of claims $name', ({ name, list: { page, claims } }) => {
  it('contains only sentences that are still on its page', () => {
    const text = seen(read(page))
    const gone = Object.entries(claims).filter(([, sentence]) => !text.includes(sentence))
    expect(gone, `sentences of ${page}`).toEqual([])
  })

  it('has numbered ids with the name of the list, and no sentence twice', () => {
    const own = new RegExp(`^${name}-[1-9]\\d*$`)
    expect(Object.keys(claims).filter((id) => !own.test(id))).toEqual([])
    const sentences = Object.values(claims)
    expect(sentences.filter((one, at) => sentences.indexOf(one) !== at)).toEqual([])
  })
})

describe('the id of a claim', () => {
  it('is in a comment above exactly one test', () => {
    const found = (id: string) => marks.filter((mark) => mark.id === id)
    const wrong = ids.filter((id) => found(id).length !== 1)
    expect(wrong.map((id) => `// claim: ${id} is ${placesOf(found(id))}`)).toEqual([])
  })

  it('is above a test only if the claim is listed', () => {
    const known = new Set(ids)
    expect(marks.filter(({ id }) => !known.has(id))).toEqual([])
  })

  it('is directly above a test or a group of tests', () => {
    expect(marks.filter(({ isOfTest }) => !isOfTest)).toEqual([])
  })
})
