import type { AlvariumError } from './errors.js'
import { type Logger, safeLogger } from './logger.js'
import { hint } from './options/names.js'

/** Options of `addEventListener`: `once` removes the listener after one event, `signal` when the signal aborts. */
export interface ListenerOptions {
  readonly once?: boolean
  readonly signal?: AbortSignal
}

/** An `EventTarget` with a known type for each event. */
export interface TypedEventTarget<Events> extends EventTarget {
  /**
   * Adds a listener for an event. Errors that the listener throws are logged.
   *
   * @throws TypeError when no event has this name
   */
  addEventListener<Type extends keyof Events & string>(
    type: Type,
    listener: (event: Events[Type]) => void,
    options?: ListenerOptions,
  ): void
  addEventListener(...given: Parameters<EventTarget['addEventListener']>): void
  /** Removes a listener that was added for the same type. */
  removeEventListener<Type extends keyof Events & string>(
    type: Type,
    listener: (event: Events[Type]) => void,
  ): void
  removeEventListener(...given: Parameters<EventTarget['removeEventListener']>): void
}

type Listener = EventListenerOrEventListenerObject

/** Event target that logs the errors of listeners. Otherwise, a listener that throws would end the Node process. */
export class SafeEventTarget extends EventTarget {
  readonly #events: readonly string[]
  #logger: Logger
  /** Wrapper of each listener, reused so that a listener can be removed and is not added twice. */
  readonly #guards = new WeakMap<Listener, EventListener>()

  constructor(events: readonly string[], logger?: Logger) {
    super()
    this.#events = events
    this.#logger = safeLogger(logger)
  }

  /** Sets the logger for errors of listeners, in objects that get their logger after construction. */
  logTo(logger: Logger): void {
    this.#logger = safeLogger(logger)
  }

  /**
   * Adds a listener, and logs the errors that it throws.
   *
   * @throws TypeError for an unknown event, whose listener would never be called
   */
  override addEventListener(
    type: string,
    listener: Listener | null,
    options?: AddEventListenerOptions | boolean,
  ): void {
    this.#assertKnown(type)
    super.addEventListener(type, listener && this.#guardOf(listener), options)
  }

  override removeEventListener(
    type: string,
    listener: Listener | null,
    options?: EventListenerOptions | boolean,
  ): void {
    super.removeEventListener(type, listener && this.#guardOf(listener), options)
  }

  #assertKnown(type: string): void {
    if (this.#events.includes(type)) return
    const got = `"${String(type).slice(0, 40)}"${hint(String(type), this.#events)}`
    throw new TypeError(`type: expected ${this.#events.join(', ')}, got ${got}`)
  }

  #guardOf(listener: Listener): EventListener {
    const guard = this.#guards.get(listener) ?? this.#guard(listener)
    this.#guards.set(listener, guard)
    return guard
  }

  #guard(listener: Listener): EventListener {
    return async (event) => {
      try {
        await (typeof listener === 'function' ? listener.call(this, event) : listener.handleEvent(event))
      } catch (err) {
        this.#logger.error({ err, event: event.type }, 'a listener threw')
      }
    }
  }
}

/**
 * Event of an annotator that threw, timed out or did not answer true or false. The annotator counted as not satisfied.
 *
 * @example
 * ```ts
 * sdk.addEventListener('annotatorerror', ({ kind, error }) => console.warn(kind, error.message))
 * ```
 */
export class AnnotatorErrorEvent extends Event {
  /** Kind of the annotator that failed, for example `tls`. */
  readonly kind: string
  /** Error with the code `ANNOTATOR_FAILED`. If the annotator threw an error, `cause` is that error. */
  readonly error: AlvariumError

  /** @internal */
  constructor(kind: string, error: AlvariumError) {
    super('annotatorerror')
    this.kind = kind
    this.error = error
  }
}

/** Names of the events of an SDK, for `addEventListener`, and the class of each event. */
export interface SdkEventMap {
  /** Dispatched when an annotator fails: see {@link AnnotatorErrorEvent}. */
  annotatorerror: AnnotatorErrorEvent
}
