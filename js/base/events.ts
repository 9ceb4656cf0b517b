import type { AlvariumError } from './errors.js'

/** How to listen: once, or until a signal aborts. */
export interface ListenerOptions {
  readonly once?: boolean
  readonly signal?: AbortSignal
}

/** An `EventTarget` whose events are known: each with what it has. */
export interface Announcing<Events> extends EventTarget {
  /**
   * Listens to an event. What a listener throws is logged.
   *
   * @throws TypeError when there is no such event
   */
  addEventListener<Type extends keyof Events & string>(
    type: Type,
    listener: (event: Events[Type]) => void,
    options?: ListenerOptions,
  ): void
  addEventListener(...given: Parameters<EventTarget['addEventListener']>): void
  /** Takes a listener away that was added for the same type. */
  removeEventListener<Type extends keyof Events & string>(
    type: Type,
    listener: (event: Events[Type]) => void,
  ): void
  removeEventListener(...given: Parameters<EventTarget['removeEventListener']>): void
}

/**
 * An annotator threw, timed out or did not answer true or false; it counted as not satisfied.
 *
 * @example
 * ```ts
 * sdk.addEventListener('annotatorerror', ({ kind, error }) => console.warn(kind, error.message))
 * ```
 */
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
