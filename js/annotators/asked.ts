import type { Action } from '../model/bundle.js'
import type { AnnotatorContext } from './annotator.js'

/** What an annotator is asked about, before its own input is added. */
export type Question = Pick<AnnotatorContext, 'action' | 'payload' | 'previousPayload'>

/** A question as annotators get it. Few look at the signal, and most answer at once: it is made for those that do. */
export class Asked implements AnnotatorContext<never> {
  readonly action: Action
  readonly payload: Uint8Array
  declare readonly previousPayload?: Uint8Array
  declare readonly input?: never
  #end: AbortController | undefined

  constructor({ action, payload, previousPayload }: Question, input?: unknown) {
    this.action = action
    this.payload = payload
    if (previousPayload !== undefined) this.previousPayload = previousPayload
    if (input !== undefined) this.input = input as never
  }

  get signal(): AbortSignal {
    this.#end ??= new AbortController()
    return this.#end.signal
  }

  /** No answer counts any more. */
  end(): void {
    this.#end ??= new AbortController()
    this.#end.abort()
  }
}
