import { parseAst } from 'rolldown/parseAst'

/** @typedef {{ type: string, start: number, end: number, [member: string]: any }} Node */

/** All nodes of a program, each before those in it. @param {string} code @returns {Generator<Node>} */
export function* nodesOf(code) {
  const waiting = [parseAst(code, { sourceType: 'module' })]
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (typeof node !== 'object') continue
    if (typeof node.type === 'string') yield node
    waiting.push(...Object.values(node).filter((value) => typeof value === 'object' && value !== null))
  }
}

/**
 * Code with other text in some places.
 *
 * @param {string} code
 * @param {readonly { start: number, end: number, text: string }[]} edits none in another
 */
export function edited(code, edits) {
  let at = 0
  const parts = edits
    .toSorted((one, other) => one.start - other.start)
    .map(({ start, end, text }) => {
      const part = code.slice(at, start) + text
      at = end
      return part
    })
  return parts.join('') + code.slice(at)
}

/** The module that an `import` or an `export … from` names; nothing for other nodes, and where that is not written out. @param {Node} node */
export function sourceOf({ type, source }) {
  if (!source || !/^(Import|Export)/.test(type)) return undefined
  if (source.type === 'TemplateLiteral' && source.quasis.length === 1) return source.quasis[0].value.cooked
  return typeof source.value === 'string' ? source.value : undefined
}
