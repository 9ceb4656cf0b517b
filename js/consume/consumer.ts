import { nextTurn } from '#platform'
import { type AlvariumError, isVerdict, streamError } from '../base/errors.js'
import type { Logger } from '../base/logger.js'
import { Tally } from '../base/tally.js'
import { rejected, verified as seen } from '../diagnostics/channels.js'
import type { Arrival } from '../streams/mqtt/inbox.js'
import { type Verification, verifyMessages } from '../verify/messages.js'
import type { VerifiedBundle, VerifyOptions } from '../verify/options.js'
import { Dedup } from './dedup.js'
import type { ConsumeSettings } from './options.js'
import { Parcel, Settlement } from './parcel.js'
import type { ReceivedBundle } from './received.js'

/** Whom to trust, and how messages are written. */
export type Trust = Pick<VerifyOptions, 'keyring' | 'codec'>

/** Who uses a consumer. */
export interface ConsumerUser {
  readonly trust: Trust
  readonly logger: Logger
  /** A message does not verify. */
  rejected(arrival: Arrival, error: AlvariumError): void
}

/**
 * Messages that have arrived together are handed over without a turn of the event loop between them. So that
 * a steady flow does not keep timers, signals and other connections waiting, it is interrupted this often.
 */
const TURN_MS = 10

/** From messages to bundles in the hands of a loop, and back: what is done with is acknowledged. */
export class Consumer {
  readonly #settings: ConsumeSettings
  readonly #user: ConsumerUser
  readonly #dedup: Dedup | undefined
  /** Of messages that come again, what is left to do. */
  readonly #parcels = new WeakMap<Arrival, Parcel>()
  readonly #inHand = new Tally()
  #stopped = false
  #turnEnds = performance.now() + TURN_MS

  constructor(settings: ConsumeSettings, user: ConsumerUser) {
    this.#settings = settings
    this.#user = user
    this.#dedup = settings.dedup && new Dedup(settings.dedup)
  }

  /** Gives nothing more; resolves when nothing that was given is in hand. */
  stop(): Promise<void> {
    this.#stopped = true
    return this.#inHand.none()
  }

  /** The loop is over: what it has in hand is nobody's. */
  abandon(): void {
    this.#stopped = true
    this.#inHand.end(this.#inHand.count)
  }

  /**
   * Verifies messages together, and gives their bundles one by one.
   *
   * @throws what is wrong with us, not with a message: `CORE_FAILED`, and what the dead letters' stream throws
   */
  async *give(arrivals: readonly Arrival[]): AsyncGenerator<ReceivedBundle, void> {
    const messages = arrivals.map(({ message }) => message)
    const verified = await verifyMessages(messages, this.#user.trust)
    for (const [at, arrival] of arrivals.entries()) {
      const outcome = verified[at] as Verification
      if (arrival.withdrawn) continue
      if (outcome.status === 'fulfilled') yield* this.#unpack(arrival, outcome.value)
      else await this.#reject(arrival, outcome.reason)
      if (this.#stopped) return
      if (performance.now() < this.#turnEnds) continue
      await nextTurn()
      this.#turnEnds = performance.now() + TURN_MS
    }
  }

  async *#unpack(arrival: Arrival, bundles: readonly VerifiedBundle[]): AsyncGenerator<ReceivedBundle, void> {
    const parcel = this.#parcels.get(arrival) ?? new Parcel(arrival)
    this.#parcels.set(arrival, parcel)
    for (const [index, bundle] of parcel.begin(bundles)) {
      const settle = (done: boolean) => parcel.settle(index, done)
      if (await this.#dedup?.isCopy(bundle.id, settle)) continue
      if (this.#stopped) return
      const { topic, message, retain, dup } = arrival
      if (seen.hasSubscribers) seen.publish({ topic, message, bundle })
      this.#inHand.begin()
      const settlement = new Settlement((done) => this.#settle(bundle.id, done, settle))
      yield Object.assign(settlement, bundle, { topic, message, index, retain, dup })
      if (this.#settings.ack === 'next') await settlement.ack()
    }
  }

  async #settle(id: string, done: boolean, settle: (done: boolean) => void): Promise<void> {
    await this.#dedup?.settled(id, done)
    settle(done)
    if (this.#inHand.count > 0) this.#inHand.end()
  }

  async #reject(arrival: Arrival, error: AlvariumError): Promise<void> {
    const { deadLetter } = this.#settings
    const { trust, logger } = this.#user
    // What is wrong with us says nothing about the message.
    if (!isVerdict(error)) throw error
    logger.warn({ err: error, topic: arrival.topic }, 'message rejected')
    const { topic, message } = arrival
    if (rejected.hasSubscribers) rejected.publish({ topic, message, error })
    this.#user.rejected(arrival, error)
    try {
      const contentType = trust.codec?.contentType
      await deadLetter?.publish(arrival.message, contentType === undefined ? {} : { contentType })
    } catch (cause) {
      throw streamError('STREAM_REFUSED', 'deadLetter.publish: expected the message to be accepted', cause)
    }
    arrival.ack()
  }
}
