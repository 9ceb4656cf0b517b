/** Finds the fields of a message at positions in its text. */
import type { Member } from './members.ts'

/** Part of the message's text. */
export interface Range {
  readonly from: number
  readonly to: number
}

/** Returns the field at a position in the text: a name belongs to the value after it. */
export function memberAt(members: readonly Member[], place: number): Member | undefined {
  return members.find((member) => place <= rangeOf(member).to)
}

/**
 * Returns the position of a field's value in the text; in the base64 of other SDKs, that of the digits that contain it.
 */
export function rangeOf({ from, to, within }: Member): Range {
  if (!within) return { from, to }
  // Base64 has four digits for three bytes, after a quotation mark.
  const begin = within.from + 1
  return { from: begin + Math.floor((from * 4) / 3), to: begin + Math.ceil((to * 4) / 3) }
}
