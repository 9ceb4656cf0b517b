/** Altering messages, field by field: what anybody between signer and verifier could do. */

export type Value = string | boolean

/** A value in a message's JSON that can be altered. */
export interface Leaf {
  /** Names and positions with dots between: `content.annotations.0.kind`. */
  readonly path: string
  /** The path's last name. */
  readonly name: string
  readonly value: Value
}

/** New values by path. */
export type Edits = ReadonlyMap<string, Value>

/** A stretch of a message's text. */
export interface Piece {
  readonly text: string
  readonly isChanged: boolean
}

/** What can be altered, in the message's order; nothing when it is no JSON. */
export function leavesOf(message: Uint8Array): Leaf[] {
  return partsOf(message).flatMap(({ path, value }) =>
    value === undefined ? [] : [{ path, name: nameOf(path), value }],
  )
}

/** The message with new values; byte for byte the same where nothing is new, because the SDK writes as `JSON.stringify` does. */
export function altered(message: Uint8Array, edits: Edits): Uint8Array<ArrayBuffer> {
  if (edits.size === 0) return new Uint8Array(message)
  const texts = partsOf(message).map((part) => textOf(part, edits))
  return new TextEncoder().encode(texts.join(''))
}

/** The altered message's text, with those characters marked that differ. */
export function piecesOf(message: Uint8Array, edits: Edits): Piece[] {
  const parts = partsOf(message)
  if (parts.length === 0) return [{ text: new TextDecoder().decode(message), isChanged: false }]
  return parts.flatMap((part) => compare(textOf(part, new Map()), textOf(part, edits)))
}

/**
 * `after`, with what differs from `before` marked: all between the first difference and the last, or all of it where
 * the two have little in common.
 */
export function compare(before: string, after: string): Piece[] {
  if (before === after) return [{ text: after, isChanged: false }]
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start < shorter && before[start] === after[start]) start++
  let end = 0
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end++
  if (start + end < shorter / 2) return [{ text: after, isChanged: true }]
  const stop = after.length - end
  return [
    { text: after.slice(0, start), isChanged: false },
    { text: after.slice(start, stop), isChanged: true },
    { text: after.slice(stop), isChanged: false },
  ].filter(({ text }) => text !== '')
}

/** A part of the text: punctuation and names, or a value. */
interface Part {
  readonly path: string
  readonly text?: string
  readonly value?: Value
}

function textOf({ path, text, value }: Part, edits: Edits): string {
  return text ?? JSON.stringify(edits.get(path) ?? value)
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1)
}

function partsOf(message: Uint8Array): Part[] {
  try {
    return split(JSON.parse(new TextDecoder().decode(message)), '')
  } catch {
    return []
  }
}

function split(value: unknown, path: string): Part[] {
  if (typeof value === 'string' || typeof value === 'boolean') return [{ path, value }]
  if (typeof value !== 'object' || value === null) return [{ path, text: JSON.stringify(value) }]
  const inside = (name: string) => (path === '' ? name : `${path}.${name}`)
  const members = Object.entries(value).map(([name, member]) => [
    { path, text: Array.isArray(value) ? '' : `${JSON.stringify(name)}:` },
    ...split(member, inside(name)),
  ])
  const joined = members.flatMap((parts, n) => (n === 0 ? parts : [{ path, text: ',' }, ...parts]))
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return [{ path, text: open ?? '' }, ...joined, { path, text: close ?? '' }]
}
