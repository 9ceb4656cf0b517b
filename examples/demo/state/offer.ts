/** Input that the page cannot verify as a message, until the visitor decides what to do with it. */
import { signal } from '@preact/signals'

export interface Offer {
  /** Kind of the input: something to trust, an unreadable input, or `lines` of many messages. */
  readonly is: 'key' | 'policy' | 'lease' | 'other' | 'lines'
  /** Name of the file, or "What you pasted". */
  readonly name: string
  /** Text of the input; for `other` a noun, and for `lines` their number. */
  readonly text: string
}

export const offer = signal<Offer | undefined>(undefined)
