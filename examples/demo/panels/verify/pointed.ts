/** Finds the field of a message at a position in its text. */
import type { Member } from './members.ts'

export interface Range {
  readonly from: number
  readonly to: number
}

/** Returns the field at a position. A name belongs to the value after it. */
export function memberAt(members: readonly Member[], place: number): Member | undefined {
  return members.find((member) => place <= rangeOf(member).to)
}

/** Returns the range of a field's value in the text, or of the base64 digits that contain it. */
export function rangeOf({ from, to, within }: Member): Range {
  if (!within) return { from, to }
  // Base64 encodes three bytes in four digits. The first digit follows a quotation mark.
  const begin = within.from + 1
  return { from: begin + Math.floor((from * 4) / 3), to: begin + Math.ceil((to * 4) / 3) }
}
