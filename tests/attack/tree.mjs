// Messages as trees that keep what a parsed value loses: repeated members, their order, and the spelling of each
// scalar. A scalar is its own spelling: a string in JSON, bytes in CBOR; the names of members too.

/**
 * @typedef {string | Buffer} Scalar
 * @typedef {{ members: [Scalar, Node][] }} MapNode @typedef {{ items: Node[] }} ListNode
 * @typedef {MapNode | ListNode | Scalar} Node
 */

const TOKENS = /"(?:[^"\\]|\\.)*"|[-+.\w]+|[{}[\]:,]/g

/** @param {string} json well-formed JSON @returns {Node} */
export function treeOfJson(json) {
  const tokens = json.match(TOKENS) ?? []
  let at = 0
  const member = () => {
    const name = tokens[at]
    at += 2
    return [name, value()]
  }
  const until = (end, part) => {
    const parts = []
    for (at++; tokens[at] !== end; ) {
      parts.push(part())
      if (tokens[at] === ',') at++
    }
    at++
    return parts
  }
  const value = () => {
    if (tokens[at] === '{') return { members: until('}', member) }
    if (tokens[at] === '[') return { items: until(']', value) }
    return tokens[at++]
  }
  return value()
}

/** @param {Node} node @param {string} [comma] the separator of the dialect @param {string} [colon] @returns {string} */
export function jsonOf(node, comma = ',', colon = ':') {
  let text = ''
  // The rest to write, the next one last. Recursion would exhaust the stack, because some trees are deeply nested.
  const left = [node]
  for (let one = left.pop(); one !== undefined; one = left.pop()) {
    if (one.items) {
      for (const part of lastFirst(
        '[',
        one.items.map((item) => [item]),
        comma,
        ']',
      ))
        left.push(part)
    } else if (one.members) {
      const members = one.members.map(([name, value]) => [value, colon, name])
      for (const part of lastFirst('{', members, comma, '}')) left.push(part)
    } else text += one
  }
  return text
}

/** @param {string} open @param {Node[][]} parts @param {string} comma @param {string} close @returns {Node[]} */
function lastFirst(open, parts, comma, close) {
  const between = parts.toReversed().flatMap((part, at) => (at === 0 ? part : [comma, ...part]))
  return [close, ...between, open]
}

/** @param {Buffer} bytes well-formed CBOR, with lengths below 2³² @returns {Node} */
export function treeOfCbor(bytes) {
  let at = 0
  const some = (count, part) => Array.from({ length: count }, part)
  const value = () => {
    const start = at
    const major = bytes[at] >> 5
    const short = bytes[at++] & 31
    const width = short < 24 ? 0 : 1 << (short - 24)
    const length = width === 0 ? short : bytes.readUIntBE(at, width)
    at += width
    if (major === 4) return { items: some(length, value) }
    if (major === 5) return { members: some(length, () => [value(), value()]) }
    if (major === 2 || major === 3) at += length
    return bytes.subarray(start, at)
  }
  return value()
}

/** @param {Node} node @returns {Buffer} */
export function cborOf(node) {
  if (node.items) return Buffer.concat([head(4, node.items.length), ...node.items.map(cborOf)])
  if (!node.members) return node
  return Buffer.concat([head(5, node.members.length), ...node.members.flat().map(cborOf)])
}

/** Returns a head in the shortest form. @param {number} major @param {number} length */
export function head(major, length) {
  if (length < 24) return Buffer.of((major << 5) | length)
  const width = length < 0x100 ? 1 : length < 0x10000 ? 2 : 4
  const bytes = Buffer.alloc(1 + width)
  bytes[0] = (major << 5) | (24 + Math.log2(width))
  bytes.writeUIntBE(length, 1, width)
  return bytes
}

/** Returns a copy that shares only scalars with the tree. @param {Node} node @returns {Node} */
export function copyOf(node) {
  if (node.items) return { items: node.items.map(copyOf) }
  if (node.members) return { members: node.members.map(([name, one]) => [name, copyOf(one)]) }
  return node
}

/** @param {Node} node @param {Node[]} [found] @returns {(MapNode | ListNode)[]} the containers with at least one part */
export function containersOf(node, found = []) {
  const parts = partsOf(node)
  if (parts.length > 0) found.push(node)
  for (const part of parts) containersOf(valueIn(part), found)
  return found
}

/** Returns the approximate length in writing. @param {Node} node */
export function sizeOf(node) {
  const parts = partsOf(node)
  return parts.reduce((sum, part) => sum + 8 + sizeOf(valueIn(part)), node.length ?? 2)
}

/** Returns members or items, to change in place. @param {Node} node */
export const partsOf = (node) => node.members ?? node.items ?? []
/** Returns the value of a member, which is a pair, or of an item. */
export const valueIn = (part) => (Array.isArray(part) ? part[1] : part)
export const withValue = (part, value) => (Array.isArray(part) ? [part[0], value] : value)
