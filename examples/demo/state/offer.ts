/** Newest input that is no message, until the visitor decides what to do with it. */
import { signal } from '@preact/signals'

export interface Offer {
  /** Kind: something to trust, an unreadable input, or many messages of which the first is shown. */
  readonly is: 'key' | 'policy' | 'lease' | 'other' | 'lines'
  /** Name of its file, or "What you pasted". */
  readonly name: string
  /** Text of the input; a noun for `other`, and the number of `lines`. */
  readonly text: string
}

export const offer = signal<Offer | undefined>(undefined)
