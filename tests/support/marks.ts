import { readdirSync, readFileSync } from 'node:fs'

/**
 * The marks that a test file may have in its first lines, for vitest.config.ts: `// @slow: it starts two browsers`. The reason may be
 * left out.
 */
const MARKS = [
  /** It takes long in Node and decides little: not in `npm test`. */
  'slow',
  /** It needs what browsers do not have, or tests from outside. */
  'node-only',
  /** Node cannot show it: `npm test` runs it in Chromium too, and `npm run test:long` in Firefox. */
  'browser',
  /** The engine of the language decides, which Chromium shares with Node: `npm run test:long` runs it in Firefox. */
  'firefox',
  /** It takes long, and is the same in every browser: Chromium shows it. */
  'not-firefox',
  /** It breaks the core, looks at its memory or at what was loaded, or stops the clock: it has a page, and a process, of its own. */
  'alone',
  /** It has a process of its own in Node, and shares its page in browsers. */
  'own-process',
  /** It runs on every database (tests/store/databases.ts). */
  'each-database',
  /** Imports from `dist`, of what the package does not export. */
  'internal',
] as const

type Mark = (typeof MARKS)[number]

/** Returns the marked files of tests/, by mark. */
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
