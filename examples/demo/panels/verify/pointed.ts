/** Fields of a message by places in its text. */
import type { Member } from './members.ts'

/** A stretch of the message's text. */
export interface Range {
  readonly from: number
  readonly to: number
}

/** Returns the field at a place in the text: names belong to the value behind them. */
export function memberAt(members: readonly Member[], place: number): Member | undefined {
  return members.find((member) => place <= rangeOf(member).to)
}

/** Returns where a field's value stands in the text; in the base64 of other SDKs, the digits that have some of it. */
export function rangeOf({ from, to, within }: Member): Range {
  if (!within) return { from, to }
  // Four digits for three bytes, behind a quotation mark.
  const begin = within.from + 1
  return { from: begin + Math.floor((from * 4) / 3), to: begin + Math.ceil((to * 4) / 3) }
}
