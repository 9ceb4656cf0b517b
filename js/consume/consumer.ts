import { nextTurn } from '#platform'
import { AlvariumError, isVerdict } from '../base/errors.js'
import type { Logger } from '../base/logger.js'
import { Tally } from '../base/tally.js'
import { type IdentifiedClassic, verifyIfClassic } from '../classic/received.js'
import { rejected } from '../diagnostics/channels.js'
import type { Keyring } from '../keys/keyring.js'
import type { Arrival } from '../streams/mqtt/inbox.js'
import { type Verification, verifyMessages } from '../verify/messages.js'
import type { VerifyOptions } from '../verify/options.js'
import { Dedup } from './dedup.js'
import { type Content, type Given, received, say } from './given.js'
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
  /** Whether it is what the loop ends with, because it is closed in the middle of waiting for somebody's own code. */
  isOver(error: unknown): boolean
  /** A message does not verify. */
  rejected(arrival: Arrival, error: AlvariumError): void
}

/**
 * Bundles that have arrived together are handed over without a turn of the event loop between them. So that a steady
 * flow, or a batch of thousands, does not keep timers, signals and other connections waiting, it is interrupted this often.
 */
const TURN_MS = 10

/**
 * Bytes of messages that are verified together: more gain little, and the bundles of a batch are many objects, which the
 * garbage collector has to move if they wait for long.
 */
const TOGETHER_BYTES = 128 * 1024

/** Where messages come from, and who wants to know when the loop is over. */
export interface Source {
  /** The loop has begun. */
  begin(): Promise<void>
  /** What has come, at least one message; none when it has ended. */
  take(): Promise<Arrival[]>
  /** The loop is over, however it ended. */
  end(): Promise<void>
}

/** A message that has been verified, or has not. */
interface Judged {
  readonly arrival: Arrival
  readonly verification: Verification
}

/** A message that is being given. */
interface Opened {
  readonly arrival: Arrival
  readonly parcel: Parcel
  readonly left: Iterable<readonly [index: number, content: Content]>
}

/** How many of those that have come first, at least one. */
function howManyTogether(arrivals: readonly Arrival[]): number {
  let [count, bytes] = [0, 0]
  for (const { message } of arrivals) {
    bytes += message.length
    if (count > 0 && bytes > TOGETHER_BYTES) break
    count++
  }
  return count
}

function isCopy(dedup: Dedup, { parcel }: Opened, index: number, { id }: Content): Promise<boolean> {
  return dedup.isCopy(id, (done) => parcel.settle(index, done))
}

/** From messages to bundles in the hands of a loop, and back: what is done with is acknowledged. */
export class Consumer {
  readonly #settings: ConsumeSettings
  readonly #user: ConsumerUser
  readonly #dedup: Dedup | undefined
  /** Of messages that come again, what is left to do. */
  readonly #parcels = new WeakMap<Arrival, Parcel>()
  readonly #inHand = new Tally()
  /** Messages that have come. */
  #waiting: Arrival[] = []
  /** Messages that were verified together, and are given one after the other. */
  #judged: Iterator<Judged> = [].values()
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

  /**
   * Gives the bundles of a source one by one. (By one generator: each that they are handed through takes a tenth of what
   * a bundle of a batch takes to verify.)
   *
   * @throws what is wrong with us, not with a message: `CORE_FAILED`, and what the source and the dead letters' stream throw
   */
  async *give(source: Source): AsyncGenerator<ReceivedBundle | ReceivedClassic, void> {
    try {
      await source.begin()
      for (let next = await this.#next(source); next; next = await this.#next(source)) {
        for (const [index, content] of next.left) {
          if (this.#isTurn()) await this.#turn()
          if (this.#dedup && (await isCopy(this.#dedup, next, index, content))) continue
          if (this.#stopped) return
          const given = this.#hand(next, index, content)
          yield given
          const pending = this.#settings.ack === 'next' && Settlement.acked(given)
          if (pending) await pending
        }
      }
    } catch (error) {
      if (!this.#user.isOver(error)) throw error
    } finally {
      this.#abandon()
      await source.end()
    }
  }

  /** The loop is over: what it has in hand is nobody's. */
  #abandon(): void {
    this.#stopped = true
    this.#inHand.end(this.#inHand.count)
    this.#waiting = []
    this.#judged = [].values()
  }

  /** The next message that verifies; none when there is no other. */
  async #next(source: Source): Promise<Opened | undefined> {
    while (!this.#stopped) {
      const { value, done } = this.#judged.next()
      if (done) {
        if (this.#waiting.length === 0) this.#waiting = await source.take()
        if (this.#waiting.length === 0) return undefined
        this.#judged = await this.#judge(this.#waiting.splice(0, howManyTogether(this.#waiting)))
      } else {
        const opened = await this.#open(value)
        if (opened) return opened
      }
    }
    return undefined
  }

  /** Verifies messages together. */
  async #judge(arrivals: readonly Arrival[]): Promise<Iterator<Judged>> {
    const messages = arrivals.map(({ message }) => message)
    const verified = await verifyMessages(messages, this.#user.trust)
    return arrivals.map((arrival, at) => ({ arrival, verification: verified[at] as Verification })).values()
  }

  /** Nothing of a message that does not verify, which is done with then, nor of one that comes again on another connection. */
  async #open({ arrival, verification }: Judged): Promise<Opened | undefined> {
    if (this.#isTurn()) await this.#turn()
    const outcome =
      verification.status === 'fulfilled'
        ? verification.value
        : await this.#classicOr(verification.reason, arrival)
    if (arrival.withdrawn) return undefined
    if (outcome instanceof AlvariumError) {
      await this.#reject(arrival, outcome)
      return undefined
    }
    const parcel = this.#parcels.get(arrival) ?? new Parcel(arrival)
    this.#parcels.set(arrival, parcel)
    return { arrival, parcel, left: parcel.begin<Content>(outcome) }
  }

  #isTurn(): boolean {
    return performance.now() >= this.#turnEnds
  }

  /** Lets others have a turn. */
  async #turn(): Promise<void> {
    await nextTurn()
    this.#turnEnds = performance.now() + TURN_MS
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

  #hand({ arrival, parcel }: Opened, index: number, content: Content): Given {
    say(arrival, content)
    this.#inHand.begin()
    const settlement = new Settlement((done) => this.#settle(content.id, done, parcel, index))
    return received(settlement, content, arrival, index)
  }

  #settle(id: string, done: boolean, parcel: Parcel, index: number): Promise<void> | undefined {
    const settle = () => {
      parcel.settle(index, done)
      if (this.#inHand.count > 0) this.#inHand.end()
    }
    if (this.#dedup) return this.#dedup.settled(id, done).then(settle, (err) => this.#notSettled(err))
    settle()
    return undefined
  }

  #notSettled(err: unknown): never {
    this.#user.logger.error({ err }, 'a bundle was not acknowledged, and comes again')
    throw err
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
    const contentType = trust.codec?.contentType
    await deadLetter?.publish(arrival.message, contentType === undefined ? {} : { contentType })
    arrival.ack()
  }
}
