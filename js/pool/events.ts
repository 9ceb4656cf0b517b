import type { AlvariumError } from '../base/errors.js'

/**
 * A worker died. Another is started in its place, and does the calls that it had.
 *
 * @example
 * ```ts
 * await using workers = await pool({ workers: 2 })
 * workers.addEventListener('workerlost', ({ error, workers: left }) => console.warn(error.message, left))
 * ```
 */
export class WorkerLostEvent extends Event {
  /** What it died of: `CORE_FAILED`, with the platform's own error as its cause. */
  readonly error: AlvariumError
  /** How many workers are left that can take calls. */
  readonly workers: number

  /** @internal */
  constructor(error: AlvariumError, workers: number) {
    super('workerlost')
    this.error = error
    this.workers = workers
  }
}

/**
 * A worker that should take the place of another did not start. The next attempt follows.
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
  /** Why: `CORE_FAILED`, with the platform's own error as its cause. */
  readonly error: AlvariumError
  /** How many attempts in a row have failed. */
  readonly failedStarts: number
  /** Milliseconds until the next attempt. */
  readonly nextStartMs: number

  /** @internal */
  constructor(error: AlvariumError, failedStarts: number, nextStartMs: number) {
    super('startfailed')
    this.error = error
    this.failedStarts = failedStarts
    this.nextStartMs = nextStartMs
  }
}

/** A worker that takes the place of another can take calls. */
export class WorkerStartedEvent extends Event {
  /** How many workers can take calls now. */
  readonly workers: number

  /** @internal */
  constructor(workers: number) {
    super('workerstarted')
    this.workers = workers
  }
}

/** Names and types of a pool's events. */
export interface PoolEventMap {
  /** See {@link WorkerLostEvent}. */
  workerlost: WorkerLostEvent
  /** See {@link StartFailedEvent}. */
  startfailed: StartFailedEvent
  /** See {@link WorkerStartedEvent}. */
  workerstarted: WorkerStartedEvent
}

/** @internal The names of all of them. */
export const POOL_EVENTS = ['workerlost', 'startfailed', 'workerstarted'] as const
