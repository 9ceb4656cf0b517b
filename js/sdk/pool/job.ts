import { AlvariumError, expected, textOf } from '../../foundation/base/errors.js'
import type { Deferred } from '../../foundation/base/time/promises.js'
import { MAX_GROUP_CALLS } from '../../signing/seal/packer.js'
import { type JobRequest, outcomesOf, type Result, type Results, type Setup } from './protocol.js'

/** Settings that all items of a job share. A worker receives them before the first item. */
export interface Context<Item = unknown> {
  readonly id: number
  readonly setup: Setup
  readonly packing: Packing<Item>
  pending: number
  isFreed: boolean
}

/** Packing of items into jobs: calls to be signed, or messages to be verified. */
export interface Packing<Item> {
  bytesOf(item: Item): number
  /** @throws TypeError when the buffer of the item was transferred or has shrunk */
  assertWhole(item: Item): void
  /** Returns an empty job with capacity for a first item of `bytes` bytes. */
  empty(bytes: number): PackedItems<Item>
}

/**
 * Items of a job, packed for a worker. They stay in this thread until the worker has answered. Nothing is
 * published before the answer, so that the items can be sent again.
 */
export interface PackedItems<Item> {
  hasRoom(bytes: number): boolean
  add(item: Item): void
  post(job: number, context: number): JobMessage
  /** True if all items are still in this thread. A payload that was transferred to a dead worker is lost. */
  readonly isWhole: boolean
  /** Returns each item in its own job; undefined for an item with a lost payload. */
  split(): (PackedItems<Item> | undefined)[]
  recycle(): void
}

export interface JobMessage {
  readonly request: JobRequest
  readonly transfer: readonly ArrayBuffer[]
}

export interface Waiter extends Deferred<Result> {
  readonly bytes: number
}

export type OnSettled = (context: Context, items: number, bytes: number) => void

let lastId = 0

export const lastJob = (): number => lastId

/** Items of one context that a worker processes, and the callers that wait for the results. */
export class Job {
  readonly id = ++lastId
  readonly context: Context
  /** True if a worker has already died on the items of this job. */
  readonly isRetry: boolean
  readonly #contents: PackedItems<unknown>
  readonly #waiters: Waiter[] = []
  readonly #onSettled: OnSettled

  constructor(context: Context, contents: PackedItems<unknown>, onSettled: OnSettled, isRetry = false) {
    this.context = context
    this.#contents = contents
    this.#onSettled = onSettled
    this.isRetry = isRetry
  }

  get size(): number {
    return this.#waiters.length
  }

  get isFull(): boolean {
    return this.size === MAX_GROUP_CALLS
  }

  hasRoom(bytes: number): boolean {
    return this.#contents.hasRoom(bytes)
  }

  add(item: unknown, waiter: Waiter): void {
    this.#contents.add(item)
    this.#waiters.push(waiter)
  }

  post(): JobMessage {
    return this.#contents.post(this.id, this.context.id)
  }

  settle(results: Results): void {
    for (const [item, outcome] of outcomesOf(results).entries()) {
      const waiter = this.#waiters[item] as Waiter
      if (outcome instanceof AlvariumError) waiter.reject(outcome)
      else waiter.resolve(outcome)
    }
    this.#done()
    // Recycle only now, because a worker that has not answered may still be writing to the memory.
    this.#contents.recycle()
  }

  reject(error: AlvariumError): void {
    for (const waiter of this.#waiters) waiter.reject(error)
    this.#done()
  }

  /**
   * Returns each item in its own job for a retry, after a worker has died on one of them, so that only that
   * item fails if it kills a worker again. Rejects calls with a payload that was transferred to the dead
   * worker.
   */
  retries(reason: unknown): readonly Job[] {
    return this.#apiece(reason, true)
  }

  /** Returns the items that a dead worker had not begun. Rejects calls with a transferred payload. */
  remaining(reason: unknown): readonly Job[] {
    return this.#contents.isWhole ? [this] : this.#apiece(reason, this.isRetry)
  }

  #apiece(reason: unknown, isRetry: boolean): Job[] {
    return this.#contents.split().flatMap((one, item) => {
      const waiter = this.#waiters[item] as Waiter
      if (one) {
        const alone = new Job(this.context, one, this.#onSettled, isRetry)
        alone.#waiters.push(waiter)
        return [alone]
      }
      waiter.reject(
        workerDied(`${textOf(reason)}, and the payload that was handed over to it is lost`, reason),
      )
      this.#onSettled(this.context, 1, waiter.bytes)
      return []
    })
  }

  #done(): void {
    const bytes = this.#waiters.reduce((sum, waiter) => sum + waiter.bytes, 0)
    this.#onSettled(this.context, this.size, bytes)
  }
}

export function workerDied(got: string, cause: unknown): AlvariumError {
  return expected('CORE_FAILED', 'pool', 'the worker to answer', got, cause)
}
