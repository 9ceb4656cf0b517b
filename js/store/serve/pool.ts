import { onAbort } from '../../foundation/base/time/abort.js'
import type { Store } from '../store.js'
import { RequestRefused } from './problem.js'

/** Pool of stores that answer requests in parallel. Each store answers one request after the other. */
export class StorePool {
  readonly #idle: Store[]
  readonly #maxRequests: number
  /** Callbacks of waiting requests, in order. The first gets the next idle store. */
  readonly #waiting = new Set<(store: Store) => void>()
  #requests = 0

  /** @param maxRequests - maximum number of requests that wait or are being answered */
  constructor(stores: readonly Store[], maxRequests: number) {
    this.#idle = [...stores]
    this.#maxRequests = maxRequests
  }

  /** Asks the first idle store, or waits for one. A client that disconnects loses the place in the queue. */
  async ask<T>(question: (store: Store) => Promise<T>, signal: AbortSignal): Promise<T> {
    if (this.#requests >= this.#maxRequests) {
      const detail = 'more requests wait than may: retry later'
      throw new RequestRefused(503, detail, { 'retry-after': '1' }, 'QUEUE_FULL')
    }
    this.#requests++
    try {
      const store = this.#idle.shift() ?? (await this.#turn(signal))
      try {
        return await question(store)
      } finally {
        this.#release(store)
      }
    } catch (error) {
      throw signal.aborted && error === signal.reason ? hasLeft() : error
    } finally {
      this.#requests--
    }
  }

  #turn(signal: AbortSignal): Promise<Store> {
    return new Promise((resolve, reject) => {
      const left = () => {
        this.#waiting.delete(take)
        reject(hasLeft())
      }
      const end = onAbort(signal, left)
      const take = (store: Store) => {
        end()
        resolve(store)
      }
      this.#waiting.add(take)
      if (signal.aborted) left()
    })
  }

  #release(store: Store): void {
    const [next] = this.#waiting
    if (next === undefined) {
      this.#idle.push(store)
      return
    }
    this.#waiting.delete(next)
    next(store)
  }
}

function hasLeft(): RequestRefused {
  return new RequestRefused(503, 'the client has left')
}
