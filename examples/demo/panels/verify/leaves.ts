/** Where in a message's JSON its values stand, so that one can be replaced and every other byte stays as it came. */

import { isJson } from '../../ui/text.ts'

export type Value = string | boolean

/** A value that can be altered. */
export interface Leaf {
  /** Names and positions with dots between: `content.annotations.0.kind`. */
  readonly path: string
  /** The path's last name. */
  readonly name: string
  readonly value: Value
  /** Where its text begins, quotes included, and where it ends. */
  readonly from: number
  readonly to: number
}

/** Most values that are looked at: who has more does not read them field by field. */
const MOST = 400

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g

/** An object or array that is open, and where in it we are. */
interface Open {
  readonly isArray: boolean
  /** The member's name, or how many items came before. */
  at: string | number
  /** Whether a name comes next. */
  isNameNext: boolean
}

/** Texts and booleans in the message's order, the first few hundred; nothing when it is no JSON. */
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

/** The text with another value there; every other character is as it was. */
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
