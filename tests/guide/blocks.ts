import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

const root = join(import.meta.dirname, '../..')

export interface Block {
  /** The page, relative to the repository's root. */
  readonly page: string
  /** The line on which its code begins, as an editor counts. */
  readonly line: number
  /** The word after the fence: `js`, `ts`, `sh`. */
  readonly language: string
  /** The word after the language, or '': the place of the code, or its test. */
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

/** Returns whether a test runs the block unchanged: all unmarked JavaScript. */
export function isRunnable({ language, mark }: Block): boolean {
  return language === 'js' && mark === ''
}

/** Returns the name of the file for a block; it shows the page and the line in errors. */
export function fileOf({ page, line }: Block): string {
  return `${basename(page, '.md')}-${line}.mjs`
}

/** Returns the output that a block states, after arrows in its comments. */
export function printedBy({ code }: Block): string[] {
  return [...code.matchAll(/\/\/ → (.+)$/gm)].map(([, text = '']) => text)
}
