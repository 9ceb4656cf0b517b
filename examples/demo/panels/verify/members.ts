/** Lists a message's fields: the values of its JSON, and for other SDKs also of the JSON in `content`. */
import { edited, type Leaf, leavesOf, type Value } from './leaves.ts'

/** Field, with the base64 text that contains it, if any. */
export interface Member extends Leaf {
  readonly within?: Leaf
}

/** Returns the fields that can be altered, in the message's order. {@link leavesOf} limits their number. */
export function membersOf(text: string): Member[] {
  return leavesOf(text).flatMap((leaf): Member[] => {
    const inner = leaf.path === 'content' && typeof leaf.value === 'string' ? decoded(leaf.value) : undefined
    if (inner === undefined) return [leaf]
    return leavesOf(inner).map((one) => ({ ...one, path: `content.${one.path}`, within: leaf }))
  })
}

/** Returns the text with one field replaced. Leaves every other field unchanged. */
export function withMember(text: string, member: Member, value: Value): string {
  const { within } = member
  if (!within) return edited(text, member, value)
  const inner = decoded(String(within.value)) ?? ''
  return edited(text, within, encoded(edited(inner, member, value)))
}

function decoded(base64: string): string | undefined {
  try {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return leavesOf(text).length > 0 ? text : undefined
  } catch {
    return undefined
  }
}

function encoded(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)))
}
