import { AlvariumError, streamError } from '../base/errors.js'
import { Announcer, type ListenerOptions } from '../base/events.js'
import { type Finding, IncompleteEvent } from '../consume/findings.js'
import { type Group, type GroupOptions, readGroupOptions } from '../consume/group.js'
import type { ReceivedBundle, ReceivedClassic } from '../consume/received.js'
import type { Watcher } from '../consume/watch.js'
import type { ReceiveSettings } from '../streams/mqtt/options.js'
import type { SubscribeSettings } from './options.js'
import type { Subscription, SubscriptionStats } from './subscription.js'
import type { VerifiedSubscription } from './verified.js'

type Given = ReceivedBundle | ReceivedClassic

const EVENTS = ['online', 'offline', 'rejected', 'incomplete']

/** What `subscribe` returns: what receives and verifies is loaded behind it. Who only signs does without that. */
export class LaterSubscription implements Subscription<Given> {
  readonly #settings: SubscribeSettings
  /** All events go through it. */
  readonly #events: Announcer
  readonly #watcher: Watcher | undefined
  readonly #loading: Promise<VerifiedSubscription>
  #verified: VerifiedSubscription | undefined
  #hasLoop = false

  constructor(settings: SubscribeSettings, receiving: ReceiveSettings) {
    this.#settings = settings
    this.#events = new Announcer(EVENTS, settings.logger)
    this.#watcher = settings.watch && this.#watching(settings.watch, receiving)
    this.#loading = this.#load(receiving)
    // Whoever opens it hears of that.
    this.#loading.catch(() => {})
  }

  /** Sees all that comes, and tells what does not. */
  #watching(watch: NonNullable<SubscribeSettings['watch']>, { group }: ReceiveSettings): Watcher {
    let isOnline = false
    const watcher = watch.begin({
      isGroup: group !== undefined,
      isBehind: () => !isOnline || this.#verified?.isFull === true,
      found: (finding: Finding) => this.#events.dispatchEvent(new IncompleteEvent(finding)),
    })
    this.#events.addEventListener('online', () => {
      isOnline = true
      watcher.listens()
    })
    this.#events.addEventListener('offline', () => {
      isOnline = false
    })
    return watcher
  }

  async #load(receiving: ReceiveSettings): Promise<VerifiedSubscription> {
    try {
      const { openVerified } = await import('./verified.js')
      this.#verified = openVerified(this.#settings, receiving, {
        events: this.#events,
        watcher: this.#watcher,
      })
      return this.#verified
    } catch (error) {
      this.#watcher?.close()
      throw streamError('STREAM_UNREACHABLE', 'subscribe: expected its code to load', error)
    }
  }

  get passedOver(): number {
    return this.#verified?.passedOver ?? 0
  }

  stats(): SubscriptionStats {
    const { passedOver } = this
    return Object.freeze({ passedOver, ...(this.#watcher && { completeness: this.#watcher.stats() }) })
  }

  async open(): Promise<void> {
    await (await this.#loading).open()
  }

  [Symbol.asyncIterator](): AsyncGenerator<Given, void> {
    return this.#loop((subscription) => subscription[Symbol.asyncIterator]())
  }

  groups(options?: GroupOptions): AsyncGenerator<Group<Given>, void> {
    readGroupOptions(options)
    return this.#loop((subscription) => subscription.groups(options))
  }

  /** The one loop. Once its code is there, it is handed through as it is. */
  #loop<One>(
    begin: (subscription: VerifiedSubscription) => AsyncGenerator<One, void>,
  ): AsyncGenerator<One, void> {
    if (this.#hasLoop) throw new AlvariumError('STREAM_LOCKED', LOCKED)
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
    // What could not be loaded has nothing to close.
    const subscription = await this.#loading.catch(() => undefined)
    await subscription?.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

/** A generator that is there soon. When it is, its promises are handed through: each generator more would cost a turn for each bundle. */
function generatorOf<One>(soon: Promise<AsyncGenerator<One, void>>): AsyncGenerator<One, void> {
  let there: AsyncGenerator<One, void> | undefined
  const ask = <Answer>(asked: (it: AsyncGenerator<One, void>) => Promise<Answer>) =>
    there ? asked(there) : first.then(asked)
  const first = soon.then((it) => {
    there = it
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

const LOCKED =
  'subscription: expected one loop, got a second; each bundle goes to one: share it from there, or subscribe again'
