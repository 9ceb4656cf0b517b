import { AlvariumError, streamError } from '../../foundation/base/errors.js'
import { type ListenerOptions, SafeEventTarget } from '../../foundation/base/events.js'
import type { ReceiveSettings } from '../../transport/streams/mqtt/options.js'
import { type Finding, IncompleteEvent } from '../../verifying/consume/findings.js'
import { type Group, type GroupOptions, readGroupOptions } from '../../verifying/consume/group.js'
import type { ReceivedBundle, ReceivedClassic } from '../../verifying/consume/received.js'
import type { Watcher } from '../../verifying/consume/watch.js'
import type { SubscribeSettings } from './options.js'
import type { Subscription, SubscriptionStats } from './subscription.js'
import type { VerifiedSubscription } from './verified-subscription.js'

type ReceivedItem = ReceivedBundle | ReceivedClassic

const EVENTS = ['online', 'offline', 'rejected', 'incomplete']

/**
 * Subscription that `subscribe` returns. It loads the code that receives and verifies messages when it is
 * created, so that applications that only sign do not load that code.
 */
export class LazySubscription implements Subscription<ReceivedItem> {
  readonly #settings: SubscribeSettings
  readonly #events: SafeEventTarget
  readonly #watcher: Watcher | undefined
  readonly #loading: Promise<VerifiedSubscription>
  #verified: VerifiedSubscription | undefined
  #hasLoop = false

  constructor(settings: SubscribeSettings, receiving: ReceiveSettings) {
    this.#settings = settings
    this.#events = new SafeEventTarget(EVENTS, settings.logger)
    this.#watcher = settings.watch && this.#beginWatch(settings.watch, receiving)
    this.#loading = this.#load(receiving)
    // Avoid an unhandled rejection: open() and the loop report the error.
    this.#loading.catch(() => {})
  }

  #beginWatch(watch: NonNullable<SubscribeSettings['watch']>, { group }: ReceiveSettings): Watcher {
    let isOnline = false
    const watcher = watch.begin({
      isGroup: group !== undefined,
      isBehind: () => !isOnline || this.#verified?.isFull === true,
      report: (finding: Finding) => this.#events.dispatchEvent(new IncompleteEvent(finding)),
    })
    this.#events.addEventListener('online', () => {
      isOnline = true
      watcher.setListening()
    })
    this.#events.addEventListener('offline', () => {
      isOnline = false
    })
    return watcher
  }

  async #load(receiving: ReceiveSettings): Promise<VerifiedSubscription> {
    try {
      const { VerifiedSubscription } = await import('./verified-subscription.js')
      const user = { events: this.#events, watcher: this.#watcher }
      this.#verified = new VerifiedSubscription(this.#settings, receiving, user)
      return this.#verified
    } catch (error) {
      this.#watcher?.close()
      throw streamError('STREAM_UNREACHABLE', 'subscribe: expected its code to load', error)
    }
  }

  get skipped(): number {
    return this.#verified?.skipped ?? 0
  }

  stats(): SubscriptionStats {
    const { skipped } = this
    return Object.freeze({ skipped, ...(this.#watcher && { completeness: this.#watcher.stats() }) })
  }

  async open(): Promise<void> {
    await (await this.#loading).open()
  }

  [Symbol.asyncIterator](): AsyncGenerator<ReceivedItem, void> {
    return this.#loop((subscription) => subscription[Symbol.asyncIterator]())
  }

  groups(options?: GroupOptions): AsyncGenerator<Group<ReceivedItem>, void> {
    readGroupOptions(options)
    return this.#loop((subscription) => subscription.groups(options))
  }

  /** Begins the only loop over the messages. While the code is loading, the returned generator waits for it. */
  #loop<One>(
    begin: (subscription: VerifiedSubscription) => AsyncGenerator<One, void>,
  ): AsyncGenerator<One, void> {
    if (this.#hasLoop) throw new AlvariumError('STREAM_LOCKED', SECOND_LOOP)
    this.#hasLoop = true
    if (this.#verified) return begin(this.#verified)
    return generatorOf(this.#loading.then(begin))
  }

  addEventListener(type: string, listener: (event: never) => void, options?: ListenerOptions): void {
    this.#events.addEventListener(type, listener as EventListener, options)
  }

  removeEventListener(type: string, listener: (event: never) => void): void {
    this.#events.removeEventListener(type, listener as EventListener)
  }

  async close(): Promise<void> {
    // There is nothing to close if the code could not be loaded.
    const subscription = await this.#loading.catch(() => undefined)
    await subscription?.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

/**
 * Returns a generator that waits for the generator `soon`, and then returns the promises of `soon`. An
 * `async function*` in between would take another turn of the microtask queue for each bundle.
 */
function generatorOf<One>(soon: Promise<AsyncGenerator<One, void>>): AsyncGenerator<One, void> {
  let generator: AsyncGenerator<One, void> | undefined
  const ask = <Answer>(request: (it: AsyncGenerator<One, void>) => Promise<Answer>) =>
    generator ? request(generator) : first.then(request)
  const first = soon.then((it) => {
    generator = it
    return it
  })
  first.catch(() => {})
  return {
    next: () => ask((it) => it.next()),
    return: (value) => ask((it) => it.return(value)),
    throw: (error) => ask((it) => it.throw(error)),
    [Symbol.asyncIterator]() {
      return this
    },
    async [Symbol.asyncDispose]() {
      await this.return()
    },
  }
}

const SECOND_LOOP =
  'subscription: expected one loop, got a second loop: share the bundles of the first loop, or subscribe again'
