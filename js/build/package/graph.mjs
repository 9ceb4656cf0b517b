import { rolldown } from 'rolldown'
import { minifySync } from 'rolldown/utils'
import { isOutside, MINIFIED } from './names.mjs'

/**
 * A module: what it imports, what it loads later, and how long what is used of it is when it is published.
 *
 * @typedef {{ imports: readonly string[], later: readonly string[], length: number }} Module
 */

/**
 * The modules that some lead to, by their paths.
 *
 * @param {readonly string[]} modules their paths
 * @returns {Promise<Map<string, Module>>}
 */
export async function graphOf(modules) {
  const graph = new Map()
  const notes = {
    name: 'notes',
    moduleParsed: ({ id, importedIds, dynamicallyImportedIds }) =>
      void graph.set(id, { imports: importedIds, later: dynamicallyImportedIds, length: 0 }),
  }
  const input = Object.fromEntries(modules.map((path, at) => [`${at}`, path]))
  const bundle = await rolldown({ input, external: isOutside, plugins: [notes], logLevel: 'silent' })
  const { output } = await bundle.generate()
  await bundle.close()
  for (const [id, { code }] of output.flatMap(({ modules = {} }) => Object.entries(modules))) {
    const module = graph.get(id)
    if (module && code) module.length = minifySync(id, code, MINIFIED).code.length
  }
  return graph
}

/**
 * The modules that are loaded with some, themselves included, each after those that it imports: not those that they load later.
 *
 * @param {Map<string, Module>} graph
 * @param {readonly string[]} modules
 * @returns {string[]}
 */
export function loadedWith(graph, modules) {
  const seen = new Set()
  const ordered = []
  const visit = (id) => {
    if (seen.has(id)) return
    seen.add(id)
    for (const next of graph.get(id)?.imports ?? []) visit(next)
    if (graph.has(id)) ordered.push(id)
  }
  for (const module of modules) visit(module)
  return ordered
}

/** All that a module leads to, at once and later, with what is in no file of ours: `#platform`, `node:fs`. @param {Map<string, Module>} graph @param {string} module */
export function ledTo(graph, module) {
  const found = new Set([module])
  for (const id of found) {
    const { imports = [], later = [] } = graph.get(id) ?? {}
    for (const next of [...imports, ...later]) found.add(next)
  }
  return found
}
