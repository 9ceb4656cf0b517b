/** Finds the values in a message's JSON, so that one can be replaced without changing any other byte. */

import { isJson } from '../../ui/text.ts'

export type Value = string | boolean

/** Value that can be altered. */
export interface Leaf {
  /** Path with dots, such as `content.annotations.0.kind`. */
  readonly path: string
  /** Last name in the path. */
  readonly name: string
  readonly value: Value
  /** Range of the value's text, including quotation marks. */
  readonly from: number
  readonly to: number
}

/** Maximum number of values, so that a long message does not fill the page with fields. */
const MOST = 400

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g

/** Object or array that is being parsed. */
interface Open {
  readonly isArray: boolean
  /** Name of the current member, or index of the current item. */
  at: string | number
  /** True if the next string is a member name. */
  isNameNext: boolean
}

/** Returns the strings and booleans of a message in order, up to {@link MOST}; none unless it is JSON. */
export function leavesOf(text: string): Leaf[] {
  if (!isJson(text)) return []
  const leaves: Leaf[] = []
  const open: Open[] = []
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const inside = open.at(-1)
    if (token === '{' || token === '[') open.push(opened(token))
    else if (token === '}' || token === ']') open.pop()
    else if (token === ',') next(inside)
    else if (token === ':' && inside) inside.isNameNext = false
    else if (inside?.isNameNext) inside.at = JSON.parse(token)
    else if (isValue(token)) leaves.push(leafOf(open, token, index))
    if (leaves.length === MOST) break
  }
  return leaves
}

/** Returns the text with one value replaced. Leaves every other character unchanged. */
export function edited(text: string, { from, to }: Leaf, value: Value): string {
  return text.slice(0, from) + JSON.stringify(value) + text.slice(to)
}

function opened(token: string): Open {
  const isArray = token === '['
  return { isArray, at: isArray ? 0 : '', isNameNext: !isArray }
}

function next(inside: Open | undefined): void {
  if (!inside) return
  if (inside.isArray) inside.at = Number(inside.at) + 1
  else inside.isNameNext = true
}

function isValue(token: string): boolean {
  return token.startsWith('"') || token === 'true' || token === 'false'
}

function leafOf(open: readonly Open[], token: string, from: number): Leaf {
  const path = open.map(({ at }) => at).join('.')
  return {
    path,
    name: String(open.at(-1)?.at ?? ''),
    value: JSON.parse(token),
    from,
    to: from + token.length,
  }
}
