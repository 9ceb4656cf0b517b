// Writes the site's style sheet from the demo page's colours and sizes, and the parts in styles/.

import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ROOT } from './pages.mjs'

const TOKENS = 'examples/demo/styles/tokens.css'
const PARTS = ['page', 'code', 'reference', 'navigation', 'search', 'screens'].map(
  (name) => `examples/guide/build/styles/${name}.css`,
)

/** @param {string} file */
export async function writeStyle(file) {
  const parts = await Promise.all([TOKENS, ...PARTS].map((part) => readFile(join(ROOT, part), 'utf8')))
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, parts.join('\n'))
}
