import { expected } from '../../foundation/base/errors.js'
import { Notifier } from '../../foundation/base/time/notifier.js'
import { Tally } from '../../foundation/base/time/tally.js'
import type { PoolLimits } from '../../foundation/model/worker-pool.js'
import { type Context, Job, lastJob, type OnSettled, type Waiter } from './job.js'

export class JobQueue {
  readonly #limits: PoolLimits
  /** Jobs that are not full, by their contexts. */
  readonly #open = new Map<Context, Job[]>()
  readonly #full: Job[] = []
  readonly #pending = new Tally()
  readonly #left = new Notifier()
  #next = 0
  #bytes = 0

  constructor(limits: PoolLimits) {
    this.#limits = limits
  }

  /**
   * Adds a call or a message to a job.
   *
   * @param spread - number of jobs to spread calls over, so that a few calls also keep several workers busy
   * @throws AlvariumError `QUEUE_FULL`
   * @throws TypeError when the buffer of the item was transferred or has shrunk
   */
  add<Item>(context: Context<Item>, item: Item, waiter: Waiter, spread: number): void {
    const { packing } = context
    packing.assertWhole(item)
    this.#assertRoom(waiter.bytes)
    // Throw nothing after this line, because a job must have all of its items, or not exist.
    const jobs = this.#openJobs(context)
    const at = Math.min(this.#next++ % spread, jobs.length)
    const job =
      this.#withRoom(jobs, at, waiter.bytes) ?? new Job(context, packing.empty(waiter.bytes), this.#settled)
    jobs[at] = job
    job.add(item, waiter)
    if (job.isFull) this.#full.push(...jobs.splice(at, 1))
    if (jobs.length === 0) this.#open.delete(context)
    this.#pending.begin()
    this.#bytes += waiter.bytes
    context.pending++
  }

  /**
   * Removes and returns the next full job, if there is one. An older job that is not full goes first, because
   * it would otherwise never be taken while calls fill job after job.
   */
  takeFull(): Job | undefined {
    const [full] = this.#full
    return full && (this.#takeOpen(full.id) ?? this.#full.shift())
  }

  /** Removes and returns the next job: a full one if there is any, else one that has room for more calls. */
  take(): Job | undefined {
    return this.takeFull() ?? this.#takeOpen()
  }

  /**
   * Closes the open jobs, so that later calls go into new jobs.
   *
   * @returns the id of the last job, for {@link takeUntil}
   */
  mark(): number {
    this.#full.push(...[...this.#open.values()].flat())
    this.#open.clear()
    return lastJob()
  }

  /** Removes and returns all jobs up to an id that {@link mark} has returned. */
  takeUntil(mark: number): readonly Job[] {
    const all = this.#full.splice(0)
    this.#full.push(...all.filter(({ id }) => id > mark))
    return all.filter(({ id }) => id <= mark)
  }

  get pending(): { readonly calls: number; readonly bytes: number } {
    return { calls: this.#pending.count, bytes: this.#bytes }
  }

  /** Returns true if there is capacity for more calls and bytes; otherwise a promise to await before asking again. */
  hasRoom(calls: number, bytes: number): true | Promise<void> {
    const { maxQueuedCalls, maxQueuedBytes } = this.#limits
    const isEmpty = this.#pending.count === 0 && calls <= 1
    const fits = this.#pending.count + calls <= maxQueuedCalls && this.#bytes + bytes <= maxQueuedBytes
    return isEmpty || fits || this.#left.next
  }

  /** Removes and returns the oldest job that is not full, if the job is older than `before`. */
  #takeOpen(before = Number.POSITIVE_INFINITY): Job | undefined {
    let oldest: Job | undefined
    for (const job of [...this.#open.values()].flat()) {
      if (job.id < (oldest?.id ?? before)) oldest = job
    }
    if (!oldest) return undefined
    const others = this.#openJobs(oldest.context).filter((job) => job !== oldest)
    if (others.length > 0) this.#open.set(oldest.context, others)
    else this.#open.delete(oldest.context)
    return oldest
  }

  putBack(jobs: readonly Job[]): void {
    this.#full.unshift(...jobs)
  }

  readonly #settled: OnSettled = (context, calls, bytes) => {
    context.pending -= calls
    this.#bytes -= bytes
    this.#pending.end(calls)
    this.#left.notifyAll()
  }

  empty(): Promise<void> {
    return this.#pending.none()
  }

  #withRoom(jobs: readonly Job[], at: number, bytes: number): Job | undefined {
    const job = jobs[at]
    if (!job || job.hasRoom(bytes)) return job
    this.#full.push(job)
    return undefined
  }

  #openJobs(context: Context): Job[] {
    const jobs = this.#open.get(context) ?? []
    this.#open.set(context, jobs)
    return jobs
  }

  #assertRoom(bytes: number): void {
    const { maxQueuedCalls, maxQueuedBytes } = this.#limits
    const full = (limit: string, got: string) =>
      expected('QUEUE_FULL', 'pool', `at most ${limit} that have not settled`, got)
    if (this.#pending.count >= maxQueuedCalls)
      throw full(`${maxQueuedCalls} calls`, `${this.#pending.count + 1}`)
    if (this.#pending.count > 0 && this.#bytes + bytes > maxQueuedBytes) {
      throw full(`${maxQueuedBytes} bytes`, `${this.#bytes + bytes}`)
    }
  }
}
