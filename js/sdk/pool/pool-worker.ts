import { startWorker } from '#workers'
import { ignoreRejection, withResolvers } from '../../foundation/base/time/promises.js'
import { coreModule } from '../../foundation/core/module.js'
import type { StartedWorker, WorkerOrigin } from '../../foundation/platform/workers.js'
import { secretCopy } from '../../signing/keys/secret.js'
import type { Context, Job } from './job.js'
import type { Results, Setup, WorkerReply } from './protocol.js'

/**
 * Maximum milliseconds for the start of a worker. A file that is not the pool's worker never answers. The
 * limit is long, because a busy machine may delay a start.
 */
const START_MS = 60_000
/** Maximum number of jobs of a worker: one in progress, and one to begin while the pool reads the results. */
const MAX_JOBS = 2

export interface PoolWorkerEvents {
  started(worker: PoolWorker): void
  settled(): void
  /**
   * Reports the death of a worker with its unanswered jobs. The worker died on the first of these jobs. A
   * worker that has not started has no jobs. Called at most once, and never after `stop` has resolved.
   */
  ended(worker: PoolWorker, jobs: readonly Job[], reason: unknown): void
}

/** Worker with its jobs, which it processes in the order of receipt. */
export class PoolWorker {
  readonly #worker: StartedWorker
  readonly #events: PoolWorkerEvents
  readonly #jobs = new Map<number, Job>()
  readonly #contextIds = new Set<number>()
  readonly #startTimer: ReturnType<typeof setTimeout>
  #hasStarted = false
  #hasEnded = false
  readonly #ready = withResolvers<void>()
  readonly #closed = withResolvers<void>()

  /** @param mark - id of the last job that was queued before this worker was started */
  constructor(
    from: WorkerOrigin,
    events: PoolWorkerEvents,
    readonly mark = 0,
  ) {
    this.#events = events
    // Avoid an unhandled rejection: only `pool()` awaits `ready`. For later workers, `ended` reports a failed start.
    this.#ready.promise.catch(() => {})
    const module = coreModule()
    this.#worker = startWorker(from, {
      message: (reply) => this.#answered(reply as WorkerReply),
      ended: (reason) => this.#end(reason),
    })
    // Send the compiled core, because the worker's file does not contain the core.
    this.#worker.post({ type: 'core', module }, [])
    const late = () => this.#end(new Error(`no answer from it within ${START_MS / 1000} s`))
    this.#startTimer = setTimeout(late, START_MS)
  }

  get ready(): Promise<void> {
    return this.#ready.promise
  }

  get load(): number {
    return this.#jobs.size
  }

  get hasStarted(): boolean {
    return this.#hasStarted
  }

  get hasRoom(): boolean {
    return this.#hasStarted && this.load < MAX_JOBS
  }

  post(job: Job): void {
    this.#introduce(job.context)
    this.#jobs.set(job.id, job)
    const { request, transfer } = job.post()
    this.#worker.post(request, transfer)
  }

  /** Removes a context from the worker. The worker wipes the private key of the context. */
  free({ id }: Context): void {
    if (this.#contextIds.delete(id)) this.#worker.post({ type: 'free', context: id }, [])
  }

  async stop(): Promise<void> {
    if (this.#hasEnded) return
    if (!this.#hasStarted) return this.abandon()
    this.#worker.post({ type: 'close' }, [])
    await this.#closed.promise
    this.#hasEnded = true
    await this.#worker.stop()
  }

  /** Ends the worker immediately, without wiping keys. Call it only before the worker has received a key. */
  async abandon(): Promise<void> {
    this.#hasEnded = true
    clearTimeout(this.#startTimer)
    await this.#worker.stop()
  }

  #introduce({ id, setup }: Context): void {
    if (this.#contextIds.has(id)) return
    this.#contextIds.add(id)
    const copy = copySetup(setup)
    const transfer = 'signingKey' in copy ? [copy.signingKey.buffer as ArrayBuffer] : []
    this.#worker.post({ type: 'open', context: id, setup: copy }, transfer)
  }

  #answered(reply: WorkerReply): void {
    if (reply.type === 'ready') this.#start()
    else if (reply.type === 'closed') this.#closed.resolve()
    else this.#settle(reply.job, reply.results)
  }

  #settle(id: number, results: Results): void {
    const job = this.#jobs.get(id)
    if (!job || this.#hasEnded) return
    this.#jobs.delete(id)
    job.settle(results)
    this.#events.settled()
  }

  #start(): void {
    clearTimeout(this.#startTimer)
    this.#hasStarted = true
    this.#ready.resolve()
    this.#events.started(this)
  }

  #end(reason: unknown): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    clearTimeout(this.#startTimer)
    this.#ready.reject(reason)
    this.#closed.resolve()
    // Stop the worker explicitly, because a browser's worker survives an uncaught error.
    ignoreRejection(this.#worker.stop())
    this.#events.ended(this, [...this.#jobs.values()], reason)
  }
}

/** Returns the setup with a copy of the key for transfer. A clone would leave copies that are not wiped. */
function copySetup(setup: Setup): Setup {
  return 'signingKey' in setup ? { ...setup, signingKey: secretCopy(setup.signingKey) } : setup
}
