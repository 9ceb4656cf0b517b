import type { AlvariumError } from '../../foundation/base/errors.js'

/**
 * Event of a worker that died. The pool starts another worker, and any worker repeats the calls.
 *
 * @example
 * ```ts
 * await using workers = await pool({ workers: 2 })
 * workers.addEventListener('workerlost', ({ error, workers: left }) => console.warn(error.message, left))
 * ```
 */
export class WorkerLostEvent extends Event {
  /** Reason why the worker died: `CORE_FAILED`, with the platform's own error as `cause`. */
  readonly error: AlvariumError
  /** Number of workers that still accept calls. */
  readonly workers: number

  /** @internal */
  constructor(error: AlvariumError, workers: number) {
    super('workerlost')
    this.error = error
    this.workers = workers
  }
}

/**
 * Event of a replacement worker that did not start. The pool tries again.
 *
 * @example
 * ```ts
 * await using workers = await pool({ workers: 2 })
 * workers.addEventListener('startfailed', ({ error, failedStarts }) => {
 *   if (failedStarts > 2) console.error(error.message)
 * })
 * ```
 */
export class StartFailedEvent extends Event {
  /** Reason of the failure: `CORE_FAILED`, with the platform's own error as `cause`. */
  readonly error: AlvariumError
  /** Number of consecutive failed attempts to start a worker. */
  readonly failedStarts: number
  /** Milliseconds until the next attempt to start a worker. */
  readonly nextStartMs: number

  /** @internal */
  constructor(error: AlvariumError, failedStarts: number, nextStartMs: number) {
    super('startfailed')
    this.error = error
    this.failedStarts = failedStarts
    this.nextStartMs = nextStartMs
  }
}

/** Event of a replacement worker that accepts calls now. */
export class WorkerStartedEvent extends Event {
  /** Number of workers that accept calls now. */
  readonly workers: number

  /** @internal */
  constructor(workers: number) {
    super('workerstarted')
    this.workers = workers
  }
}

/** Types of the events that a pool dispatches, by the names that `addEventListener` accepts. */
export interface PoolEventMap {
  /** Dispatched when a worker has died. See {@link WorkerLostEvent}. */
  workerlost: WorkerLostEvent
  /** Dispatched when a replacement worker has not started. See {@link StartFailedEvent}. */
  startfailed: StartFailedEvent
  /** Dispatched when a replacement worker accepts calls. See {@link WorkerStartedEvent}. */
  workerstarted: WorkerStartedEvent
}

/** @internal Names of all events. */
export const POOL_EVENTS = ['workerlost', 'startfailed', 'workerstarted'] as const
