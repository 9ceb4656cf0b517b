// Functions, methods and constants of TypeScript below js/ and of Rust below crate/, by name, wherever they are.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readRust } from './rust.mjs'
import { plain } from './text.mjs'
import { readTypeScript } from './typescript.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * @typedef {object} Part
 * @property {string} name
 * @property {string | undefined} owner its class, or its type in Rust
 * @property {number} start
 * @property {number} end
 *
 * @typedef {object} Reading
 * @property {string} bare the source, with spaces in place of its comments
 * @property {Part[]} parts
 *
 * @typedef {Part & { file: string, source: string, plain: () => import('./text.mjs').Plain }} Declaration
 */

/** @type {Map<string, Map<string, Declaration[]>>} */
const known = new Map()

/**
 * Reads a folder once. A file is a declaration as well: imports and what runs at load are in no function.
 *
 * @param {'js' | 'crate'} folder
 * @returns {ReadonlyMap<string, readonly Declaration[]>} by name
 */
export function declarationsOf(folder) {
  const byName = known.get(folder) ?? new Map()
  if (!known.has(folder)) {
    const files =
      folder === 'js' ? filesBelow('js', '.ts') : crates().flatMap((path) => filesBelow(path, '.rs'))
    for (const one of files.flatMap(declarationsIn))
      byName.set(one.name, [...(byName.get(one.name) ?? []), one])
    known.set(folder, byName)
  }
  return byName
}

function crates() {
  const members = readdirSync(join(root, 'crate')).map((name) => `crate/${name}/src`)
  return ['crate/src', ...members].filter((path) => existsSync(join(root, path)))
}

/** @param {string} folder @param {string} ending */
function filesBelow(folder, ending) {
  const all = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
  return all
    .map((path) => `${folder}/${path.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith(ending) && !path.includes('/dist/'))
}

/** @param {string} file @returns {Declaration[]} */
function declarationsIn(file) {
  const source = readFileSync(join(root, file), 'utf8')
  const { bare, parts } = file.endsWith('.rs') ? readRust(source) : readTypeScript(source)
  const whole = { name: basename(file), owner: undefined, start: 0, end: source.length }
  return [whole, ...parts].map((part) => {
    /** @type {import('./text.mjs').Plain | undefined} */
    let text
    return { ...part, file, source, plain: () => (text ??= plain(bare, part.start, part.end)) }
  })
}
