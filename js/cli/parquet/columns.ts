import type { SchemaElement, SchemaTree } from 'hyparquet'
import { assembleNested } from 'hyparquet/src/assemble.js'
import { DEFAULT_PARSERS } from 'hyparquet/src/convert.js'
import { parquetSchema } from 'hyparquet/src/metadata.js'
import { ParquetFault } from './fault.js'
import { asStored, textOfLeaf } from './texts.js'

export interface Column {
  readonly name: string
  /** Schema nodes from the root to each leaf, with their physical types. */
  readonly leaves: readonly SchemaTree[][]
  /** Assembles one value per row from the values of the leaves. */
  readonly valuesOf: (leaves: readonly unknown[][]) => readonly unknown[]
  readonly textOf: (value: unknown) => string
}

/**
 * Returns the columns of a schema, sorted by name. Removes the types LIST and MAP for hyparquet, which then returns
 * groups as plain objects and lists; {@link textOfNode} formats them as lists and maps.
 *
 * @throws ParquetFault if two columns have the same name
 */
export function columnsIn(schema: SchemaElement[]): Column[] {
  const root = parquetSchema({ schema: schema.map(asStored) })
  const columns = parquetSchema({ schema }).children.map((node, at) =>
    columnOf(node, root, root.children[at] as SchemaTree),
  )
  if (columns.length === 0) throw new ParquetFault('columns', 'no columns')
  assertNames(root)
  // A column `a.b` and the member `b` of a group `a` have equal paths, and values are found by path.
  assertDistinct(columns.flatMap(({ leaves }) => leaves.map(pathOf)))
  return columns.sort((one, other) => (one.name < other.name ? -1 : 1))
}

function columnOf(node: SchemaTree, root: SchemaTree, stored: SchemaTree): Column {
  const leaves = leavesBelow(stored, [root])
  const { name } = node.element
  const valuesOf = ([first = [], ...others]: readonly unknown[][]) => {
    if (stored.children.length === 0) return first
    const values = new Map(leaves.map((leaf, at) => [pathOf(leaf), [first, ...others][at] as unknown[]]))
    assembleNested(values, stored, DEFAULT_PARSERS)
    return values.get(name) as unknown[]
  }
  return { name, leaves, valuesOf, textOf: textOfNode(node) }
}

function leavesBelow(node: SchemaTree, above: readonly SchemaTree[]): SchemaTree[][] {
  const path = [...above, node]
  return node.children.length === 0 ? [path] : node.children.flatMap((child) => leavesBelow(child, path))
}

export function pathOf(leaf: readonly SchemaTree[]): string {
  return (leaf.at(-1) as SchemaTree).path.join('.')
}

/** Refuses two columns or members of a group with one name, and `__proto__`, which hyparquet would drop. */
function assertNames({ children }: SchemaTree): void {
  assertDistinct(children.map(({ element }) => element.name))
  for (const child of children) {
    if (child.element.name === '__proto__') throw new ParquetFault('another name of a column', '__proto__')
    assertNames(child)
  }
}

function assertDistinct(names: readonly string[]): void {
  const seen = new Set<string>()
  for (const name of names) {
    if (seen.has(name)) throw new ParquetFault('columns of different names', `${JSON.stringify(name)} twice`)
    seen.add(name)
  }
}

function textOfNode(node: SchemaTree): (value: unknown) => string {
  const one = (node.children.length === 0 ? textOfLeaf(node.element) : textOfGroup(node)) as (
    value: unknown,
  ) => string
  if (node.element.repetition_type === 'REPEATED') return (values) => listText(values, one)
  return (value) => {
    // Refuse undefined, which hyparquet returns for an index outside the dictionary.
    if (value === undefined) throw new ParquetFault('a value', 'no value')
    return value === null ? 'null' : one(value)
  }
}

function listText(values: unknown, one: (value: unknown) => string): string {
  return `[${(values as unknown[]).map(one).join(',')}]`
}

type Group = Readonly<Record<string, unknown>>

function textOfGroup(node: SchemaTree): (value: Group) => string {
  const [inner, ...others] = node.children
  const isRepeated = inner?.element.repetition_type === 'REPEATED' && others.length === 0
  const { converted_type, logical_type } = node.element
  const type = logical_type?.type ?? converted_type
  if (isRepeated && type === 'LIST') return textOfList(node.element.name, inner)
  if (isRepeated && (type === 'MAP' || type === 'MAP_KEY_VALUE')) return textOfMap(inner)
  return textOfObject(node.children)
}

/** Returns the formatter for a LIST. In the lists of some old writers, the repeated node itself is the element. */
function textOfList(name: string, repeated: SchemaTree): (value: Group) => string {
  const [element, ...others] = repeated.children
  const itself = repeated.element.name
  const isBetween = element && others.length === 0 && itself !== 'array' && itself !== `${name}_tuple`
  if (!isBetween) {
    const all = textOfNode(repeated)
    return (value) => all(value[itself])
  }
  const one = textOfNode(element)
  return (value) => listText(value[itself], (item) => one((item as Group)[element.element.name]))
}

/** Returns the formatter for a MAP: a list of pairs, because keys may not be strings. */
function textOfMap(repeated: SchemaTree): (value: Group) => string {
  const members = repeated.children.map((child) => ({ name: child.element.name, text: textOfNode(child) }))
  const pair = (entry: unknown) =>
    `[${members.map(({ name, text }) => text((entry as Group)[name])).join(',')}]`
  return (value) => listText(value[repeated.element.name], pair)
}

function textOfObject(children: readonly SchemaTree[]): (value: Group) => string {
  const members = children.map((child) => ({ name: child.element.name, text: textOfNode(child) }))
  members.sort((one, other) => (one.name < other.name ? -1 : 1))
  return (value) =>
    `{${members.map(({ name, text }) => `${JSON.stringify(name)}:${text(value[name])}`).join(',')}}`
}
