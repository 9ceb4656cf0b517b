import { AlvariumError, expected, textOf } from '../base/errors.js'
import type { Deferred } from '../base/time/promises.js'
import { MOST_CALLS } from '../seal/packer.js'
import { type JobRequest, outcomesOf, type Result, type Results, type Setup } from './protocol.js'

/** What the items of a job have in common; a worker is told before the first of them. */
export interface Context<Item = unknown> {
  readonly id: number
  readonly setup: Setup
  readonly packing: Packing<Item>
  /** Items that have not settled. */
  pending: number
  isFreed: boolean
}

/** How items are packed: the calls that are to be sealed, or the messages that are to be verified. */
export interface Packing<Item> {
  /** How long an item is. */
  bytesOf(item: Item): number
  /** @throws TypeError when its bytes are gone, as their buffer was transferred or has shrunk */
  assertWhole(item: Item): void
  /** Where items can be added: the first of them has so many bytes. */
  empty(bytes: number): PackedItems<Item>
}

/** The items of a job, packed for a worker. They stay here until they are answered: nothing was published yet, so they can be sent again. */
export interface PackedItems<Item> {
  hasRoom(bytes: number): boolean
  add(item: Item): void
  post(job: number, context: number): Posted
  /** Whether all of it is still here: what was transferred to a worker is gone with it. */
  readonly isWhole: boolean
  /** Each item alone; nothing for one that is gone. */
  apiece(): (PackedItems<Item> | undefined)[]
  /** Its memory may be used again. */
  recycle(): void
}

/** A message to a worker, and what of it to transfer. */
export interface Posted {
  readonly request: JobRequest
  readonly transfer: readonly ArrayBuffer[]
}

/** Who waits for a result: a message, or the verified bundles of one. */
export interface Waiter extends Deferred<Result> {
  /** How long the item is. */
  readonly bytes: number
}

/** Told when items have settled. */
export type OnSettled = (context: Context, items: number, bytes: number) => void

let lastId = 0

/** The id of the last job that was begun. */
export const lastJob = (): number => lastId

/** Some items of one context on their way through a worker. */
export class Job {
  readonly id = ++lastId
  readonly context: Context
  /** Whether a worker has died on these items before. */
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
    return this.size === MOST_CALLS
  }

  hasRoom(bytes: number): boolean {
    return this.#contents.hasRoom(bytes)
  }

  add(item: unknown, waiter: Waiter): void {
    this.#contents.add(item)
    this.#waiters.push(waiter)
  }

  post(): Posted {
    return this.#contents.post(this.id, this.context.id)
  }

  settle(results: Results): void {
    for (const [item, outcome] of outcomesOf(results).entries()) {
      const waiter = this.#waiters[item] as Waiter
      if (outcome instanceof AlvariumError) waiter.reject(outcome)
      else waiter.resolve(outcome)
    }
    this.#done()
    // Only now: a worker that has not answered may still be writing there.
    this.#contents.recycle()
  }

  reject(error: AlvariumError): void {
    for (const waiter of this.#waiters) waiter.reject(error)
    this.#done()
  }

  /**
   * The items one by one, to be tried once more after a worker has died on one of them: whichever it was, the
   * others must not die with it. A payload that was handed over is gone with the worker, and its call is rejected.
   */
  retries(reason: unknown): readonly Job[] {
    return this.#apiece(reason, true)
  }

  /** The items after the death of a worker that had not come to them; lost are those whose payload it had been handed. */
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
      waiter.reject(died(`${textOf(reason)}, and the payload that was handed over to it is lost`, reason))
      this.#onSettled(this.context, 1, waiter.bytes)
      return []
    })
  }

  #done(): void {
    const bytes = this.#waiters.reduce((sum, waiter) => sum + waiter.bytes, 0)
    this.#onSettled(this.context, this.size, bytes)
  }
}

/** The rejection of calls whose worker died. */
export function died(got: string, cause: unknown): AlvariumError {
  return expected('CORE_FAILED', 'pool', 'the worker to answer', got, cause)
}
