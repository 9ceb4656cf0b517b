import type { AlvariumError } from './errors.js'
import { type Logger, safeLogger } from './logger.js'
import { hint } from './options/names.js'

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
  /** Removes a listener that was added for the same type. */
  removeEventListener<Type extends keyof Events & string>(
    type: Type,
    listener: (event: Events[Type]) => void,
  ): void
  removeEventListener(...given: Parameters<EventTarget['removeEventListener']>): void
}

type Listener = EventListenerOrEventListenerObject

/**
 * Tells listeners what happens. What a listener throws, or rejects with, goes to the logger: Node would end the process
 * over it, and with that every message which is under way, because somebody's counter was not there.
 */
export class Announcer extends EventTarget {
  readonly #events: readonly string[]
  #logger: Logger
  /** What stands in for each listener; the same each time, so that it can be removed, and is not added twice. */
  readonly #guards = new WeakMap<Listener, EventListener>()

  /** @param events - the names of all that it tells */
  constructor(events: readonly string[], logger?: Logger) {
    super()
    this.#events = events
    this.#logger = safeLogger(logger)
  }

  /** Where listeners' errors go from now on, for those who hear of their logger late. */
  logTo(logger: Logger): void {
    this.#logger = safeLogger(logger)
  }

  /** @throws TypeError when there is no such event: its listener would wait for ever */
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
