import { closed, textOf } from '../../foundation/base/errors.js'
import { ignoreRejection } from '../../foundation/base/time/promises.js'
import type { WorkerOrigin } from '../../foundation/platform/workers.js'
import { StartFailedEvent, WorkerLostEvent, WorkerStartedEvent } from './events.js'
import { type Context, type Job, workerDied } from './job.js'
import type { PoolSettings } from './options.js'
import { PoolWorker, type PoolWorkerEvents } from './pool-worker.js'
import type { Result } from './protocol.js'
import { JobQueue } from './queue.js'
import { RestartTimer } from './restarts.js'

/** Number of consecutive failed attempts to start a worker after which waiting calls are rejected. */
const MANY_FAILED_STARTS = 3

/** Dispatcher of calls and messages to the workers of a pool. It replaces dead workers. */
export class Scheduler {
  readonly #from: WorkerOrigin
  readonly #wanted: number
  readonly #target: EventTarget
  readonly #queue: JobQueue
  readonly #workers = new Set<PoolWorker>()
  readonly #restarts = new RestartTimer(() => this.#fill())
  #isDispatching = false
  /** True after `start`, until `close` has waited for the calls. While it is true, dead workers are replaced. */
  #isOpen = false

  constructor(from: WorkerOrigin, settings: PoolSettings, target: EventTarget) {
    this.#from = from
    this.#wanted = settings.workers
    this.#target = target
    this.#queue = new JobQueue(settings)
  }

  /** Starts the workers, and waits until all accept calls. After a rejection, call `abandon`. */
  async start(): Promise<void> {
    for (let count = 0; count < this.#wanted; count++)
      this.#workers.add(new PoolWorker(this.#from, this.#events))
    await Promise.all([...this.#workers].map(({ ready }) => ready))
    this.#isOpen = true
    this.#fill()
  }

  abandon(): void {
    this.#isOpen = false
    this.#restarts.stop()
    for (const worker of this.#workers) ignoreRejection(worker.abandon())
  }

  stats(): PoolStats {
    const { calls, bytes } = this.#queue.pending
    const { failed, nextMs } = this.#restarts
    const workers = this.#started
    const starting = this.#workers.size - workers
    const starts = { workers, starting, failedStarts: failed, nextStartMs: nextMs }
    return Object.freeze({ ...starts, queued: calls, queuedBytes: bytes })
  }

  hasRoom(calls: number, bytes: number): true | Promise<void> {
    return this.#queue.hasRoom(calls, bytes)
  }

  submit<Item>(context: Context<Item>, item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      const waiter = { resolve, reject, bytes: context.packing.bytesOf(item) }
      this.#queue.add(context, item, waiter, this.#idle || 1)
      this.#dispatchSoon()
    })
  }

  /** Closes the signer or verifier of a context in all workers. They wipe the private key. */
  free(context: Context): void {
    context.isFreed = true
    for (const worker of this.#workers) worker.free(context)
  }

  /** Waits for the calls in progress, and ends the workers. */
  async close(): Promise<void> {
    await this.#queue.empty()
    this.#isOpen = false
    this.#restarts.stop()
    await Promise.all([...this.#workers].map((worker) => worker.stop()))
  }

  /** Dispatches jobs in a microtask, so that calls in the same turn of the event loop can share a job. */
  #dispatchSoon(): void {
    if (this.#isDispatching) return
    this.#isDispatching = true
    queueMicrotask(() => {
      this.#isDispatching = false
      this.#dispatch()
    })
  }

  /**
   * Dispatches jobs (groups of calls), each to the worker with the fewest jobs, as long as a worker has
   * capacity. A job with room for more calls waits until a worker is idle, or until a newer job is full.
   */
  #dispatch(): void {
    for (let worker = this.#freest(); worker; worker = this.#freest()) {
      const job = worker.load === 0 ? this.#queue.take() : this.#queue.takeFull()
      if (!job) return
      if (job.context.isFreed) job.reject(closed('pool', 'the SDK was closed before this call began'))
      else worker.post(job)
    }
  }

  #freest(): PoolWorker | undefined {
    let freest: PoolWorker | undefined
    for (const worker of this.#workers) {
      if (worker.hasRoom && (!freest || worker.load < freest.load)) freest = worker
    }
    return freest
  }

  get #idle(): number {
    return this.#count(({ load }) => load === 0)
  }

  get #started(): number {
    return this.#count(({ hasStarted }) => hasStarted)
  }

  #count(isCounted: (worker: PoolWorker) => boolean): number {
    let count = 0
    for (const worker of this.#workers) if (isCounted(worker)) count++
    return count
  }

  readonly #events: PoolWorkerEvents = {
    started: () => this.#hasStarted(),
    settled: () => this.#dispatchSoon(),
    ended: (worker, jobs, reason) => this.#ended(worker, jobs, reason),
  }

  #hasStarted(): void {
    this.#restarts.succeed()
    // Report no event for the first workers, because the caller of `start` waits for them.
    if (this.#isOpen) this.#target.dispatchEvent(new WorkerStartedEvent(this.#started))
    this.#fill()
    this.#dispatchSoon()
  }

  #ended(worker: PoolWorker, jobs: readonly Job[], reason: unknown): void {
    this.#workers.delete(worker)
    if (!this.#isOpen) return
    if (worker.hasStarted) this.#lost(jobs, reason)
    else this.#startFailed(worker.mark, reason)
  }

  #lost(jobs: readonly Job[], reason: unknown): void {
    const again = jobs.slice(0, 1).flatMap((job) => this.#afterDeath(job, reason))
    const others = jobs.slice(1).flatMap((job) => job.remaining(reason))
    this.#queue.putBack([...again, ...others])
    this.#target.dispatchEvent(new WorkerLostEvent(workerDied(textOf(reason), reason), this.#started))
    this.#fill()
    this.#dispatchSoon()
  }

  #afterDeath(job: Job, reason: unknown): readonly Job[] {
    if (!job.isRetry) return job.retries(reason)
    job.reject(workerDied(`${textOf(reason)}, for the second time`, reason))
    return []
  }

  /** Starts the workers that are missing. After a failed attempt, starts only one worker, as a test. */
  #fill(): void {
    if (!this.#isOpen || this.#restarts.isWaiting) return
    const maxWorkers = this.#restarts.failed > 0 ? this.#started + 1 : this.#wanted
    while (this.#workers.size < Math.min(maxWorkers, this.#wanted) && !this.#restarts.isWaiting) this.#begin()
  }

  #begin(): void {
    const mark = this.#queue.mark()
    try {
      this.#workers.add(new PoolWorker(this.#from, this.#events, mark))
    } catch (error) {
      this.#startFailed(mark, error)
    }
  }

  /**
   * Schedules the next attempt to start a worker. After several failed attempts without any running worker,
   * rejects the calls made before this attempt, which could otherwise wait forever.
   */
  #startFailed(mark: number, reason: unknown): void {
    this.#restarts.fail()
    const { failed, nextMs = 0 } = this.#restarts
    const isAlone = this.#started === 0
    if (isAlone && failed >= MANY_FAILED_STARTS) this.#giveUp(mark, reason)
    const error = workerDied(`${textOf(reason)}${isAlone ? ', and no other worker has started' : ''}`, reason)
    this.#target.dispatchEvent(new StartFailedEvent(error, failed, nextMs))
  }

  #giveUp(mark: number, reason: unknown): void {
    for (const job of this.#queue.takeUntil(mark)) {
      job.reject(workerDied(`${textOf(reason)}, and no other worker could be started`, reason))
    }
  }
}

/** State of a pool, for health checks and metrics. */
export interface PoolStats {
  /** Number of workers that accept calls. */
  readonly workers: number
  /** Number of workers that are starting. */
  readonly starting: number
  /** Number of consecutive failed attempts to start a worker; 0 after a successful one. */
  readonly failedStarts: number
  /** Milliseconds until the next attempt to start a worker; undefined if no attempt is scheduled. */
  readonly nextStartMs: number | undefined
  /** Number of calls in the pool that have not settled. */
  readonly queued: number
  /** Total bytes of the calls in the pool that have not settled. */
  readonly queuedBytes: number
}
