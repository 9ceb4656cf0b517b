import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { INDEX, PAGES, ROOT } from '../../examples/guide/build/pages.mjs'
import { blockLinesIn, sentencesIn, sentencesOf, wordsIn } from './prose.js'
import { MAX_LINE_LENGTH, MAX_WORDS, PHRASES_OF_PAGES } from './words.mjs'

/** Pages outside of the guide whose prose is checked. To check another page, add it here and fix what the test reports. */
const PAGES_OUTSIDE_THE_GUIDE = [
  'README.md',
  'SECURITY.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'crate/FORMAT.md',
  'js/README.md',
  'crate/README.md',
  'tests/README.md',
  'bench/README.md',
  'examples/README.md',
]
const read = (page: string) => readFileSync(join(ROOT, page), 'utf8')
const GUIDE = [INDEX, ...Object.values(PAGES).flat()].filter((page) => page.startsWith('examples/guide/'))

describe.each([...GUIDE, ...PAGES_OUTSIDE_THE_GUIDE])('the prose of %s', (page) => {
  const sentences = sentencesOf(page)

  it('has more than ten sentences', () => {
    expect(sentences.length).toBeGreaterThan(10)
  })

  it('contains no phrase that the word list bans', () => {
    const faults = sentences.flatMap(({ place, text }) =>
      PHRASES_OF_PAGES.filter(({ pattern }) => pattern.test(text)).map(
        ({ instead }) => `${place}: "${text}"; write instead: ${instead}`,
      ),
    )
    expect(faults).toEqual([])
  })

  it(`has no sentence of more than ${MAX_WORDS} words`, () => {
    const long = sentences.filter((sentence) => wordsIn(sentence) > MAX_WORDS)
    expect(long.map(({ place, text }) => `${place}: ${text}`)).toEqual([])
  })
})

it.each(['README.md', ...GUIDE])(
  `a block of code in %s has lines of at most ${MAX_LINE_LENGTH} characters, which fit on a page of the site`,
  (page) => {
    const long = blockLinesIn(read(page)).filter(({ text }) => [...text].length > MAX_LINE_LENGTH)
    expect(long.map(({ line, text }) => `${page}:${line}: ${text}`)).toEqual([])
  },
)

describe('README', () => {
  const shown = sentencesIn(read('README.md').replaceAll(/^\|.*$|!\[[^\]]*\]\([^)]*\)/gm, ''))

  it('has at most 600 words outside of code, tables and pictures', () => {
    const words = shown.reduce((sum, sentence) => sum + wordsIn(sentence), 0)
    expect(words).toBeGreaterThan(300)
    expect(words).toBeLessThanOrEqual(600)
  })

  it('has at most 200 lines', () => {
    expect(read('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(200)
  })

  it('has no sentence of more than 25 words', () => {
    expect(sentencesOf('README.md').filter((sentence) => wordsIn(sentence) > 25)).toEqual([])
  })
})

describe('the rules for prose', () => {
  const found = (text: string) =>
    sentencesIn(text).some(({ text }) => PHRASES_OF_PAGES.some(({ pattern }) => pattern.test(text)))

  it.each([
    'The key is read once.',
    'Give it the keys of those you trust.',
    'A filter that is none.',
    'A server wants an option.',
    'Who verifies gives the same codec.',
    'It ends with 2 when that could not be told.',
    'Expected one of its own for each.',
    'One line of code,\nthen somebody reads it.',
    '| a cell | it stays yours |',
  ])('find a fault in the text: %s', (text) => expect(found(text)).toBe(true))

  it.each([
    'The payload key is a hash, and the public key has a key id.',
    'Keys are files.',
    'If you want more, set `key`, or pass `somebody(wants)`.',
    '```js\nconst key = 1 // somebody wants it\n```',
    'A [link](https://example.com/somebody/wants.md#key) is its text.',
  ])('find no fault in the text: %s', (text) => expect(found(text)).toBe(false))
})

it('blockLinesIn returns lines of code with their numbers, even of indented blocks', () => {
  const page = 'Text\n```js\nconst a = 1\n```\n- item\n\n  ```sh\n  ls\n  ```\n'
  expect(blockLinesIn(page)).toEqual([
    { line: 3, text: 'const a = 1' },
    { line: 8, text: '  ls' },
  ])
})

it('wordsIn counts a code span and a link as one word each', () => {
  const [first, second, ...rest] = sentencesIn('Call `a b(c, d)` now. See [two words](x.md)\n— and `e`.\n')
  expect(rest).toEqual([])
  expect([first, second].map((sentence) => sentence && wordsIn(sentence))).toEqual([3, 5])
})
