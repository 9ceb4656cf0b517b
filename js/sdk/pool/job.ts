import { AlvariumError, expected, textOf } from '../../foundation/base/errors.js'
import type { Deferred } from '../../foundation/base/time/promises.js'
import { MAX_GROUP_CALLS } from '../../signing/seal/packer.js'
import { type JobRequest, outcomesOf, type Result, type Results, type Setup } from './protocol.js'

/** Common settings of a job's items. A worker receives them before the first item. */
export interface Context<Item = unknown> {
  readonly id: number
  readonly setup: Setup
  readonly packing: Packing<Item>
  /** Number of items that have not settled. */
  pending: number
  isFreed: boolean
}

/** Packing of items: of calls to be sealed, or of messages to be verified. */
export interface Packing<Item> {
  /** Returns the length of an item in bytes. */
  bytesOf(item: Item): number
  /** @throws TypeError when its buffer was transferred or has shrunk */
  assertWhole(item: Item): void
  /** Returns an empty job for a first item of some bytes. */
  empty(bytes: number): PackedItems<Item>
}

/**
 * Items of a job, packed for a worker. They stay here until they are answered. Nothing is published before, so they can
 * be sent again.
 */
export interface PackedItems<Item> {
  hasRoom(bytes: number): boolean
  add(item: Item): void
  post(job: number, context: number): JobMessage
  /** True if all items are still here: a transferred payload is lost with its worker. */
  readonly isWhole: boolean
  /** Returns each item in its own job; undefined for a lost one. */
  apiece(): (PackedItems<Item> | undefined)[]
  /** Releases the memory for reuse. */
  recycle(): void
}

/** A message to a worker, and the buffers to transfer. */
export interface JobMessage {
  readonly request: JobRequest
  readonly transfer: readonly ArrayBuffer[]
}

/** Caller that waits for a result: a message, or the verified bundles of one. */
export interface Waiter extends Deferred<Result> {
  /** Length of the item in bytes. */
  readonly bytes: number
}

/** Callback for settled items. */
export type OnSettled = (context: Context, items: number, bytes: number) => void

let lastId = 0

/** Returns the id of the newest job. */
export const lastJob = (): number => lastId

/** Items of one context that a worker processes. */
export class Job {
  readonly id = ++lastId
  readonly context: Context
  /** True if a worker has died on these items before. */
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
    // Recycle only now: a worker that has not answered may still be writing to this memory.
    this.#contents.recycle()
  }

  reject(error: AlvariumError): void {
    for (const waiter of this.#waiters) waiter.reject(error)
    this.#done()
  }

  /**
   * Returns the items as single jobs for a retry, after a worker has died on one of them. The other items must not
   * fail with it. A payload that was transferred is lost with the worker, and its call is rejected.
   */
  retries(reason: unknown): readonly Job[] {
    return this.#apiece(reason, true)
  }

  /** Returns the items that a dead worker had not begun. Calls whose payloads were transferred to it are lost. */
  remaining(reason: unknown): readonly Job[] {
    return this.#contents.isWhole ? [this] : this.#apiece(reason, this.isRetry)
  }

  #apiece(reason: unknown, isRetry: boolean): Job[] {
    return this.#contents.apiece().flatMap((one, item) => {
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

/** Returns the error of calls whose worker died. */
export function workerDied(got: string, cause: unknown): AlvariumError {
  return expected('CORE_FAILED', 'pool', 'the worker to answer', got, cause)
}
