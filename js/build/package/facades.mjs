import { edited, nodesOf, sourceOf } from './edits.mjs'

/** @typedef {{ fileName: string, code: string, isDynamicEntry: boolean, moduleIds: readonly string[] }} File what Rolldown has made */

/**
 * Some files are not worth a block of a disk, nor the time that they take to be read. A module that is loaded later, and shares a chunk with
 * others, gets one that only says which names of the chunk are its own: who loads it says so instead. And Rolldown has one for a function
 * of its own.
 *
 * @param {readonly File[]} files
 * @returns {[name: string, code: string][]} those that are left
 */
export function withoutFacades(files) {
  const instead = new Map()
  for (const file of files) {
    if (file.isDynamicEntry && file.moduleIds.length === 0)
      instead.set(`./${file.fileName}`, namesIn(file.code))
    if (file.moduleIds.length > 0 && file.moduleIds.every((id) => id.startsWith('\0')))
      instead.set(`./${file.fileName}`, functionIn(file.code))
  }
  return files
    .filter(({ fileName }) => !instead.has(`./${fileName}`))
    .map(({ fileName, code }) => [fileName, instead.size === 0 ? code : withThose(code, instead)])
}

/** Of `export { x as run } from './chunk.js'`. */
function namesIn(code) {
  const [{ source, specifiers }, ...others] = [...nodesOf(code)].filter(({ type }) =>
    /^(Im|Ex)port\w+Declaration$/.test(type),
  )
  if (others.length > 0 || !source)
    throw new Error(`dist/esm: expected a file that exports from another, got ${code}`)
  const names = specifiers.map(({ exported, local }) => `${exported.name}:it.${local.name}`)
  return () => `import("${source.value}").then((it)=>({${names}}))`
}

/** Of a file that exports one. */
function functionIn(code) {
  const [{ start, end, specifiers }] = [...nodesOf(code)].filter(
    ({ type }) => type === 'ExportNamedDeclaration',
  )
  if (specifiers.length !== 1)
    throw new Error(`dist/esm: expected a file that exports one function, got ${code}`)
  const body = edited(code, [{ start, end, text: `return ${specifiers[0].local.name}` }])
  return (node) => `const ${node.specifiers[0].local.name}=(()=>{${body}})();`
}

function withThose(code, instead) {
  const edits = [...nodesOf(code)].flatMap((node) => {
    const text = instead.get(sourceOf(node))?.(node)
    return text ? [{ start: node.start, end: node.end, text }] : []
  })
  return edited(code, edits)
}
