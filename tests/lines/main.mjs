// `npm run lines`: counts the lines to read, which are those with code: no comments, no blanks.
//
//   npm run lines             a table: js/ by floor, and the tests by language
//   npm run lines -- --json   the same for programs

import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { codeLines } from './code-lines.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** The most lines of a tiny file, including comments and blanks. */
const TINY = 10
/** Folders whose files are written by programs. */
const OUTPUTS = ['generated', 'node_modules', 'target', 'dist']
const TESTS = {
  TypeScript: [/^tests\/.*\.ts$/],
  JavaScript: [/^tests\/.*\.mjs$/, /^crate\/ed25519x4\/harness\/.*\.mjs$/],
  Rust: [/^crate\/.*\btests(\/.*)?\.rs$/, /^crate\/ed25519x4\/src\/check\/.*\.rs$/],
  Python: [/^tests\/.*\.py$/],
}

/** @typedef {{ lines: number, files: number, types: number, tiny: number }} Sum */

/** @param {string} folder @returns {string[]} paths of hand-written files below it, relative to the root */
function filesBelow(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return OUTPUTS.includes(entry.name) ? [] : filesBelow(path)
    return entry.isFile() ? [path] : []
  })
}

/** @param {string} path @returns {Sum} */
function counted(path) {
  const text = readFileSync(join(root, path), 'utf8')
  const lines = codeLines(text, extname(path))
  const isTiny = text.split('\n').length - 1 <= TINY
  return { lines, files: 1, types: extname(path) === '.ts' ? typesIn(text) : 0, tiny: isTiny ? 1 : 0 }
}

/** Counts interfaces, type aliases and classes at all levels. @param {string} text */
function typesIn(text) {
  let count = 0
  const visit = (/** @type {ts.Node} */ node) => {
    if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isClassLike(node)) count++
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile('x.ts', text, ts.ScriptTarget.Latest))
  return count
}

/** @param {readonly string[]} paths */
function sumOf(paths) {
  const none = { lines: 0, files: 0, types: 0, tiny: 0 }
  return paths.map(counted).reduce(
    (sum, one) => ({
      lines: sum.lines + one.lines,
      files: sum.files + one.files,
      types: sum.types + one.types,
      tiny: sum.tiny + one.tiny,
    }),
    none,
  )
}

/** Returns the floor of a path below js/, or `(above the floors)`. @param {string} path */
function floorOf(path) {
  const [, floor, file] = path.split('/')
  return file === undefined ? '(above the floors)' : floor
}

function report() {
  const sources = filesBelow('js').filter((path) => path.endsWith('.ts') && floorOf(path) !== 'build')
  const floors = [...new Set(sources.map(floorOf))].sort()
  const js = floors.map((floor) => [floor, sumOf(sources.filter((path) => floorOf(path) === floor))])
  const others = [...filesBelow('tests'), ...filesBelow('crate')]
  const tests = Object.entries(TESTS).map(([language, patterns]) => [
    language,
    sumOf(others.filter((path) => patterns.some((pattern) => pattern.test(path)))),
  ])
  return { js: Object.fromEntries(js), total: sumOf(sources), tests: Object.fromEntries(tests) }
}

/** @param {string} name @param {(string | number)[]} numbers */
const row = (name, numbers) => name.padEnd(20) + numbers.map((number) => `${number}`.padStart(9)).join('')

/** @param {ReturnType<typeof report>} report */
function table({ js, total, tests }) {
  const cells = (/** @type {Sum} */ { lines, files, types, tiny }) => [lines, files, types, tiny]
  return [
    row('js/', ['lines', 'files', 'types', 'tiny']),
    ...Object.entries(js).map(([room, sum]) => row(room, cells(sum))),
    row('in all', cells(total)),
    '',
    row('tests', ['lines', 'files']),
    ...Object.entries(tests).map(([language, { lines, files }]) => row(language, [lines, files])),
    '',
    `lines: with code, without comments and blanks; types: interfaces, type aliases, classes; tiny: files of ${TINY} lines or fewer in all`,
  ].join('\n')
}

const isJson = process.argv.includes('--json')
console.log(isJson ? JSON.stringify(report(), null, 2) : table(report()))
