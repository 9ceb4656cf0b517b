import { algorithmsModule } from '../../foundation/algorithms/module.js'
import { closed } from '../../foundation/base/errors.js'
import { type ListenerOptions, SafeEventTarget } from '../../foundation/base/events.js'
import { withCore } from '../../foundation/core/core.js'
import type { IdentifiedBundle } from '../../foundation/model/bundle.js'
import type {
  KeyringKeys,
  PooledCalls,
  PoolLimits,
  SealerSetup,
  WorkerPool as Workers,
} from '../../foundation/model/worker-pool.js'
import { CALLS } from './calls.js'
import { POOL_EVENTS, type PoolEventMap } from './events.js'
import type { Context, Packing } from './job.js'
import { MESSAGES, type Verifiable } from './messages.js'
import { type PoolOptions, type PoolSettings, readPoolOptions } from './options.js'
import type { Setup } from './protocol.js'
import { type PoolStats, Scheduler } from './scheduler.js'
import { startFrom } from './start.js'

export type { AnyWorker } from '../../foundation/platform/workers.js'
export type { PoolEventMap, StartFailedEvent, WorkerLostEvent, WorkerStartedEvent } from './events.js'
export type { PoolOptions } from './options.js'
export type { PoolStats } from './scheduler.js'

/** Maximum number of keyrings that the workers remember. */
const MAX_KEYRINGS = 16

/**
 * Starts workers that hash, sign and verify: worker threads in Node, web workers in browsers. One pool can
 * serve any number of SDKs, and of calls that verify. Close the pool after them, or declare it with `await
 * using` before them.
 *
 * The pool replaces a worker that dies, and retries its calls once. A retry is safe, because the calls have
 * published nothing. A call rejects with `CORE_FAILED` if a second worker dies on it.
 *
 * If the new worker does not start, the pool tries again while it is open. The wait is 0.1 to 0.2 s at first,
 * and up to 5 s later. Without a worker, calls wait. They reject with `CORE_FAILED` when at least three
 * attempts in a row have failed, and the last of them began after the call.
 *
 * Each worker generates its own ULIDs. The ids of annotations are unique and increase with time, but calls of
 * the same millisecond are in no particular order.
 *
 * @throws AlvariumError `CONFIG_INVALID` naming the option, `CORE_UNAVAILABLE` when workers do not start
 *   within a minute (a Content-Security-Policy needs `worker-src 'self'` and `'wasm-unsafe-eval'`)
 *
 * @example
 * ```ts
 * import { pool } from 'alvarium-sdk/pool'
 *
 * await using workers = await pool({ workers: 4 })
 * await using sdk = await openSdk({ signingKey, annotators, stream, pool: workers })
 * await sdk.create(payload)
 * await verifyMessage(message, { keyring, pool: workers })
 * ```
 *
 * @example In a bundle, under a Content-Security-Policy without blobs: the worker's file where you have put it
 * ```ts
 * const workers = await pool({ workers: 4, worker: '/assets/alvarium-worker.js' })
 * ```
 */
export async function pool(options: PoolOptions): Promise<WorkerPool> {
  const { worker, ...settings } = readPoolOptions(options)
  // Load the core first, so that an error of the core is not reported as an error of the workers.
  withCore(() => undefined)
  const events = new SafeEventTarget(POOL_EVENTS)
  const scheduler = await startFrom(worker, (from) => new Scheduler(from, settings, events))
  return new WorkerPool(scheduler, settings, events)
}

/**
 * Workers that {@link pool} has started.
 *
 * @example
 * ```ts
 * const workers = await pool({ workers: 2 })
 * const outcomes = await verifyMessages(messages, { keyring, pool: workers })
 * await workers.close()
 * ```
 */
export class WorkerPool implements Workers {
  /** Number of workers that the options ask for. Fewer accept calls while a dead one is being replaced. */
  readonly workers: number
  /** @internal Limits of calls that have not settled. */
  readonly limits: PoolLimits
  readonly #events: SafeEventTarget
  readonly #scheduler: Scheduler
  /** Private keys of SDKs that have not wiped them yet. The pool wipes these keys when it is closed. */
  readonly #keys = new Set<Uint8Array>()
  readonly #verifiers = new Map<readonly Uint8Array[], Context<Verifiable>>()
  #contexts = 0
  #closing: Promise<void> | undefined

  /** @internal */
  constructor(scheduler: Scheduler, settings: PoolSettings, events: SafeEventTarget) {
    this.workers = settings.workers
    this.limits = settings
    this.#scheduler = scheduler
    this.#events = events
  }

  /** @internal Opens a context for the calls of an SDK. Free the context after the calls. */
  open(setup: SealerSetup): PooledCalls {
    this.#assertOpen()
    const context = this.#context(setup, CALLS)
    this.#keys.add(setup.signingKey)
    return {
      seal: (call) => {
        this.#assertOpen()
        return this.#scheduler.submit(context, call) as Promise<Uint8Array>
      },
      hasRoom: (calls, bytes) => this.#scheduler.hasRoom(calls, bytes),
      free: () => {
        this.#keys.delete(setup.signingKey)
        this.#scheduler.free(context)
      },
    }
  }

  /** @internal Verifies a message in a worker, and, if there is a payload, that the message is about it. */
  verify(trusted: KeyringKeys, message: Uint8Array, payload?: Uint8Array): Promise<IdentifiedBundle[]> {
    this.#assertOpen()
    const context = this.#verifier(trusted)
    return this.#scheduler.submit(context, { message, payload }) as Promise<IdentifiedBundle[]>
  }

  /** Adds a listener to `workerlost`, `startfailed` or `workerstarted`. See {@link PoolEventMap}. */
  addEventListener<Type extends keyof PoolEventMap>(
    type: Type,
    listener: (event: PoolEventMap[Type]) => void,
    options?: ListenerOptions,
  ): void {
    this.#events.addEventListener(type, listener as EventListener, options)
  }

  /** Removes a listener that was added for the same type. */
  removeEventListener<Type extends keyof PoolEventMap>(
    type: Type,
    listener: (event: PoolEventMap[Type]) => void,
  ): void {
    this.#events.removeEventListener(type, listener as EventListener)
  }

  /** Returns the state of the pool, as a plain frozen object. It is cheap enough to call every second. */
  stats(): PoolStats {
    return this.#scheduler.stats()
  }

  /** Waits for the calls in progress, wipes the keys, and ends the workers. Rejects later calls. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  /** Closes the pool, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #close(): Promise<void> {
    await this.#scheduler.close()
    for (const key of this.#keys) key.fill(0)
  }

  #assertOpen(): void {
    if (this.#closing) throw closed('pool', 'is closed')
  }

  #context<Item>(setup: Setup, packing: Packing<Item>): Context<Item> {
    return { id: ++this.#contexts, setup, packing, pending: 0, isFreed: false }
  }

  #verifier({ keys, ecKeys, engine, maxTableBytes }: KeyringKeys): Context<Verifiable> {
    const known = this.#verifiers.get(keys)
    if (known) return known
    this.#forgetVerifiers()
    const algorithms = ecKeys.length > 0 && engine !== 'host' ? algorithmsModule() : undefined
    const context = this.#context({ keys, ecKeys, engine, maxTableBytes, algorithms }, MESSAGES)
    this.#verifiers.set(keys, context)
    return context
  }

  /** Frees the oldest keyrings without pending calls, until there is capacity for a further one. */
  #forgetVerifiers(): void {
    for (const [keys, context] of this.#verifiers) {
      if (this.#verifiers.size < MAX_KEYRINGS) return
      if (context.pending > 0) continue
      this.#verifiers.delete(keys)
      this.#scheduler.free(context)
    }
  }
}
