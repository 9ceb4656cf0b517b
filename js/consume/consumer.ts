import { nextTurn } from '#platform'
import { AlvariumError, isVerdict, streamError } from '../base/errors.js'
import type { Logger } from '../base/logger.js'
import { Tally } from '../base/tally.js'
import { type IdentifiedClassic, verifyIfClassic } from '../classic/received.js'
import { rejected, verified as seen, verifiedClassic as seenClassic } from '../diagnostics/channels.js'
import type { Keyring } from '../keys/keyring.js'
import type { Arrival } from '../streams/mqtt/inbox.js'
import { type Verification, verifyMessages } from '../verify/messages.js'
import type { VerifiedBundle, VerifyOptions } from '../verify/options.js'
import { Dedup } from './dedup.js'
import type { ConsumeSettings } from './options.js'
import { Parcel, Settlement } from './parcel.js'
import type { ReceivedBundle, ReceivedClassic } from './received.js'

/** Whom to trust, and how messages are written. */
export type Trust = Pick<VerifyOptions, 'codec'> & { readonly keyring: Keyring }

/** Who uses a consumer. */
export interface ConsumerUser {
  readonly trust: Trust
  /** Whether messages of the other SDKs are wanted too. */
  readonly classic: boolean
  readonly logger: Logger
  /** A message does not verify. */
  rejected(arrival: Arrival, error: AlvariumError): void
}

/**
 * Messages that have arrived together are handed over without a turn of the event loop between them. So that
 * a steady flow does not keep timers, signals and other connections waiting, it is interrupted this often.
 */
const TURN_MS = 10

/** What a loop is given of a message. */
type Content = VerifiedBundle | IdentifiedClassic

function say({ topic, message }: Arrival, content: Content): void {
  if (!('dialect' in content)) {
    if (seen.hasSubscribers) seen.publish({ topic, message, bundle: content })
  } else if (seenClassic.hasSubscribers) {
    const { id, action, dialect } = content
    seenClassic.publish({ topic, message, id, action, dialect })
  }
}

function received(
  settlement: Settlement,
  content: Content,
  { topic, message, retain, dup }: Arrival,
  index: number,
): ReceivedBundle | ReceivedClassic {
  const format = 'dialect' in content ? 'classic' : 'bundle'
  const given = { format, topic, message, index, retain, dup }
  return Object.assign(settlement, content, given) as ReceivedBundle | ReceivedClassic
}

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
  async *give(arrivals: readonly Arrival[]): AsyncGenerator<ReceivedBundle | ReceivedClassic, void> {
    const messages = arrivals.map(({ message }) => message)
    const verified = await verifyMessages(messages, this.#user.trust)
    for (const [at, arrival] of arrivals.entries()) {
      const one = verified[at] as Verification
      const outcome = one.status === 'fulfilled' ? one.value : await this.#classicOr(one.reason, arrival)
      if (arrival.withdrawn) continue
      if (outcome instanceof AlvariumError) await this.#reject(arrival, outcome)
      else yield* this.#unpack(arrival, outcome)
      if (this.#stopped) return
      if (performance.now() < this.#turnEnds) continue
      await nextTurn()
      this.#turnEnds = performance.now() + TURN_MS
    }
  }

  /** What is no bundle of ours may be classic, and nothing else may: so each message has one reading. */
  async #classicOr(
    reason: AlvariumError,
    { message }: Arrival,
  ): Promise<readonly IdentifiedClassic[] | AlvariumError> {
    const { classic, trust } = this.#user
    if (!classic || reason.code !== 'MESSAGE_MALFORMED') return reason
    try {
      const found = await verifyIfClassic(message, trust.keyring)
      return found ? [found] : reason
    } catch (error) {
      if (error instanceof AlvariumError) return error
      throw error
    }
  }

  async *#unpack(
    arrival: Arrival,
    contents: readonly Content[],
  ): AsyncGenerator<ReceivedBundle | ReceivedClassic, void> {
    const parcel = this.#parcels.get(arrival) ?? new Parcel(arrival)
    this.#parcels.set(arrival, parcel)
    for (const [index, content] of parcel.begin(contents)) {
      const settle = (done: boolean) => parcel.settle(index, done)
      if (await this.#dedup?.isCopy(content.id, settle)) continue
      if (this.#stopped) return
      say(arrival, content)
      this.#inHand.begin()
      const settlement = new Settlement((done) => this.#settle(content.id, done, settle))
      yield received(settlement, content, arrival, index)
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
