import type { LooseMessage } from './messages.js'

export type Alteration = (message: LooseMessage) => void

/** Returns an annotation of a message; throws if there is none. */
export const annotation = ({ content }: LooseMessage, at = 0) => {
  const found = content.annotations[at]
  if (!found) throw new Error(`expected annotation ${at}`)
  return found
}
/** Returns another text of the same form. */
export const turned = (text: unknown) => String(text).replace(/^./, (first) => (first === '0' ? '1' : '0'))
export const content =
  (member: string, value: unknown): Alteration =>
  (message) => {
    message.content[member] = value
  }
/** Sets a member of the first annotation. */
export const first =
  (member: string, value: unknown): Alteration =>
  (message) => {
    annotation(message)[member] = value
  }
