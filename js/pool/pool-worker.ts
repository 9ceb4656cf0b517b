import { startWorker } from '#workers'
import { ignoreRejection } from '../base/time/promises.js'
import { coreModule } from '../core/module.js'
import { secretCopy } from '../keys/secret.js'
import type { StartedWorker, WorkerFrom } from '../platform/workers.js'
import type { Context, Job } from './job.js'
import type { Results, Setup, WorkerReply } from './protocol.js'

/** A file that is no worker of ours is silent. Long, as whoever shares the machine may slow a start down. */
const START_MS = 60_000
/** Most jobs that one worker has before it: one to work on, one to go on with while its answers are read. */
const MOST_GROUPS = 2

/** What a worker tells its pool. */
export interface PoolWorkerEvents {
  /** The worker can take calls. */
  started(worker: PoolWorker): void
  /** A job was answered and settled. */
  settled(): void
  /** The worker is gone, with these jobs; it died on the first of them. One that has not started has none. Told once, and not after `stop`. */
  ended(worker: PoolWorker, jobs: readonly Job[], reason: unknown): void
}

/** One worker, and what it has been given. It works on its jobs in the order in which it got them. */
export class PoolWorker {
  /** Resolves when the worker can take calls. */
  readonly ready: Promise<void>
  readonly #worker: StartedWorker
  readonly #events: PoolWorkerEvents
  readonly #jobs = new Map<number, Job>()
  /** The contexts that the worker has been told of. */
  readonly #known = new Set<number>()
  readonly #startTimer: ReturnType<typeof setTimeout>
  #hasStarted = false
  #hasEnded = false
  #whenReady = () => {}
  #whenEnded: (reason: unknown) => void = () => {}
  #whenClosed = () => {}

  /** @param mark - what the queue knows those calls by that were there before this worker was started */
  constructor(
    from: WorkerFrom,
    events: PoolWorkerEvents,
    readonly mark = 0,
  ) {
    this.#events = events
    this.ready = new Promise((resolve, reject) => {
      this.#whenReady = resolve
      this.#whenEnded = reject
    })
    // Whoever opens the pool listens; who replaces a worker hears of it through `ended`.
    this.ready.catch(() => {})
    const module = coreModule()
    this.#worker = startWorker(from, {
      message: (reply) => this.#answered(reply as WorkerReply),
      ended: (reason) => this.#end(reason),
    })
    // Compiled here, once: what a worker loads has no core in it.
    this.#worker.post({ type: 'core', module }, [])
    const late = () => this.#end(new Error(`no answer from it within ${START_MS / 1000} s`))
    this.#startTimer = setTimeout(late, START_MS)
  }

  /** How many jobs it has before it. */
  get load(): number {
    return this.#jobs.size
  }

  get hasStarted(): boolean {
    return this.#hasStarted
  }

  get hasRoom(): boolean {
    return this.#hasStarted && this.load < MOST_GROUPS
  }

  give(job: Job): void {
    this.#introduce(job.context)
    this.#jobs.set(job.id, job)
    const { request, transfer } = job.post()
    this.#worker.post(request, transfer)
  }

  /** The worker forgets the context, and wipes its key. */
  free({ id }: Context): void {
    if (this.#known.delete(id)) this.#worker.post({ type: 'free', context: id }, [])
  }

  /** Ends the worker after it has wiped its keys. */
  async stop(): Promise<void> {
    if (this.#hasEnded) return
    if (!this.#hasStarted) return this.abandon()
    const closed = new Promise<void>((resolve) => (this.#whenClosed = resolve))
    this.#worker.post({ type: 'close' }, [])
    await closed
    this.#hasEnded = true
    await this.#worker.stop()
  }

  /** Ends the worker as it is; it has no keys yet. */
  async abandon(): Promise<void> {
    this.#hasEnded = true
    clearTimeout(this.#startTimer)
    await this.#worker.stop()
  }

  #introduce({ id, setup }: Context): void {
    if (this.#known.has(id)) return
    this.#known.add(id)
    const copy = copied(setup)
    const transfer = 'signingKey' in copy ? [copy.signingKey.buffer as ArrayBuffer] : []
    this.#worker.post({ type: 'open', context: id, setup: copy }, transfer)
  }

  #answered(reply: WorkerReply): void {
    if (reply.type === 'ready') this.#start()
    else if (reply.type === 'closed') this.#whenClosed()
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
    this.#whenReady()
    this.#events.started(this)
  }

  #end(reason: unknown): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    clearTimeout(this.#startTimer)
    this.#whenEnded(reason)
    this.#whenClosed()
    // A browser's worker lives on after an error that nobody caught.
    ignoreRejection(this.#worker.stop())
    this.#events.ended(this, [...this.#jobs.values()], reason)
  }
}

/** The key in memory of its own, which is transferred: a clone would leave copies on the way that nobody wipes. */
function copied(setup: Setup): Setup {
  return 'signingKey' in setup ? { ...setup, signingKey: secretCopy(setup.signingKey) } : setup
}
