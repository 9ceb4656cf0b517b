import type { AlvariumError } from './errors.js'

/** How to listen: once, or until a signal aborts. */
export interface ListenerOptions {
  readonly once?: boolean
  readonly signal?: AbortSignal
}

/** An annotator threw, timed out or did not answer true or false; it counted as not satisfied. */
export class AnnotatorErrorEvent extends Event {
  /** The kind of the annotator. */
  readonly kind: string
  /** What happened, with code `ANNOTATOR_FAILED` and the annotator's own error as its cause. */
  readonly error: AlvariumError

  /** @internal */
  constructor(kind: string, error: AlvariumError) {
    super('annotatorerror')
    this.kind = kind
    this.error = error
  }
}

/** Names and types of an SDK's events. */
export interface SdkEventMap {
  /** See {@link AnnotatorErrorEvent}. */
  annotatorerror: AnnotatorErrorEvent
}
