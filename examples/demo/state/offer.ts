/** The newest of what somebody has given the tool that is no message: the visitor says what to do with it. */
import { signal } from '@preact/signals'

export interface Offer {
  /** Kind: what may be trusted, something that nothing here reads, or many messages of which the first is shown. */
  readonly is: 'key' | 'policy' | 'lease' | 'other' | 'lines'
  /** Name of its file, or "What you pasted". */
  readonly name: string
  /** For `other`, a noun for it; for `lines`, their number; else the text itself. */
  readonly text: string
}

export const offer = signal<Offer | undefined>(undefined)
