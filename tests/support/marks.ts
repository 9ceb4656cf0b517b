import { readdirSync, readFileSync } from 'node:fs'

/**
 * Marks in the first lines of a test file, for vitest.config.ts: `// @slow: it starts two browsers`. The reason is
 * optional.
 */
const MARKS = [
  /** A test that takes long in Node and decides little: not in `npm test`. */
  'slow',
  /** A test that needs features that browsers lack, or test data from outside. */
  'node-only',
  /** A test that Node cannot run fully: `npm test` runs it in Chromium too, and `npm run test:long` in Firefox. */
  'browser',
  /** A test of the language's engine, which Chromium shares with Node: `npm run test:long` runs it in Firefox. */
  'firefox',
  /** A test that takes long and is the same in every browser: Chromium is enough. */
  'not-firefox',
  /** A test that breaks the core, reads its memory or the loaded files, or stops the clock: it has its own page and process. */
  'alone',
  /** A test with its own process in Node, which shares its page in browsers. */
  'own-process',
  /** A test for every database (tests/store/databases.ts). */
  'each-database',
  /** A test that imports unexported modules from `dist`. */
  'internal',
] as const

type Mark = (typeof MARKS)[number]

export function markedFiles(): Record<Mark, string[]> {
  const marked = Object.fromEntries(MARKS.map((mark) => [mark, []])) as unknown as Record<Mark, string[]>
  const files = readdirSync('tests', { recursive: true, encoding: 'utf8' })
  for (const file of files.filter((name) => name.endsWith('.test.ts')).sort()) {
    for (const mark of marksOf(`tests/${file}`)) marked[mark].push(`tests/${file}`)
  }
  return marked
}

function marksOf(path: string): Mark[] {
  const [head = ''] = /^(?:\/\/ @.*\n)*/.exec(readFileSync(path, 'utf8')) ?? []
  return [...head.matchAll(/^\/\/ @(\S*?)(?:: .+)?$/gm)].map(([, name]) => {
    const mark = MARKS.find((one) => one === name)
    if (!mark) throw new Error(`${path}: expected one of the marks ${MARKS.join(', ')}, got ${name}`)
    return mark
  })
}
