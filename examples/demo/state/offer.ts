/** The newest thing besides messages that a visitor has given the tool, until the visitor says what to do with it. */
import { signal } from '@preact/signals'

export interface Offer {
  /** Kind: what may be trusted, something that nothing here reads, or many messages of which the first is shown. */
  readonly is: 'key' | 'policy' | 'lease' | 'other' | 'lines'
  /** Name of its file, or "What you pasted". */
  readonly name: string
  /** Text of the thing; a noun for `other`, and the number of `lines`. */
  readonly text: string
}

export const offer = signal<Offer | undefined>(undefined)
