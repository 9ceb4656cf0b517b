import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** A block of code in a page. */
export interface Block {
  /** The page, from the repository's root. */
  readonly page: string
  /** The line on which its code begins, as an editor counts. */
  readonly line: number
  /** What stands behind the fence: `js`, `ts`, `sh`. */
  readonly language: string
  /** The word behind the language, if there is one: where the code belongs, or which test has it. */
  readonly mark: string
  readonly code: string
}

/** The pages whose code is tested: README.md and the guide. */
export const PAGES = [
  'README.md',
  ...readdirSync(join(root, 'examples/guide'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `examples/guide/${name}`),
]

/** All blocks of a page, in order. */
export function blocksOf(page: string): Block[] {
  const text = readFileSync(join(root, page), 'utf8')
  return [...text.matchAll(/^```(\w+)(?: (\w+))?\n(.*?)^```$/gms)].map(
    ({ 1: language = '', 2: mark = '', 3: code = '', index }) => ({
      page,
      line: text.slice(0, index).split('\n').length + 1,
      language,
      mark,
      code,
    }),
  )
}

/** Whether a test runs it as it stands: all of JavaScript but what is marked. */
export function isRunnable({ language, mark }: Block): boolean {
  return language === 'js' && mark === ''
}

/** A name for the file that a block is pasted into, by which errors tell the page and the line. */
export function fileOf({ page, line }: Block): string {
  return `${basename(page, '.md')}-${line}.mjs`
}

/** What a block says that it prints: behind arrows in its comments. */
export function printedBy({ code }: Block): string[] {
  return [...code.matchAll(/\/\/ → (.+)$/gm)].map(([, text = '']) => text)
}
