import { rolldown } from 'rolldown'

/**
 * The modules that are loaded with one, itself included: not those that it loads later.
 *
 * @param {string} module its path
 * @returns {Promise<Set<string>>}
 */
export async function reached(module) {
  const graph = new Map()
  const notes = {
    name: 'notes',
    moduleParsed: ({ id, importedIds }) => void graph.set(id, importedIds),
  }
  const bundle = await rolldown({ input: module, external: /^(node:|#)/, plugins: [notes], treeshake: false })
  await bundle.generate()
  await bundle.close()
  const found = new Set([module])
  for (const id of found) for (const next of graph.get(id) ?? []) found.add(next)
  return found
}
