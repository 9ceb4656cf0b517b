import { nextTurn } from '#platform'
import { AlvariumError, isVerdict } from '../base/errors.js'
import type { Logger } from '../base/logger.js'
import { type ClassicWishes, type IdentifiedClassic, verifyIfClassic } from '../classic/received.js'
import { rejected } from '../diagnostics/channels.js'
import type { Keyring } from '../keys/keyring.js'
import type { Arrival } from '../streams/mqtt/inbox.js'
import { type Verification, verifyMessages } from '../verify/messages.js'
import type { VerifyOptions } from '../verify/options.js'
import type { Content } from './given.js'
import type { ConsumeSettings } from './options.js'
import { Parcel } from './parcel.js'

/** Whom to trust, and how messages are written. */
type Trust = Pick<VerifyOptions, 'codec'> & { readonly keyring: Keyring }

/** Who uses a consumer. */
export interface ConsumerUser {
  readonly trust: Trust
  /** Whether messages of the other SDKs are wanted too, and which. */
  readonly classic: ClassicWishes | undefined
  readonly logger: Logger
  /** Whether it is what the loop ends with, because it is closed in the middle of waiting for somebody's own code. */
  isOver(error: unknown): boolean
  /** A message does not verify. */
  rejected(arrival: Arrival, error: AlvariumError): void
}

/** Where messages come from. */
export interface Supply {
  /** What has come, at least one message; none when there is nothing more to wait for. */
  take(): Promise<readonly Arrival[]>
  /** Whether what has come already may wait as well. */
  readonly isOver?: boolean
}

/** A message that verifies, and its bundles that are not done. */
export interface Opened {
  readonly arrival: Arrival
  readonly parcel: Parcel
  readonly left: Iterable<readonly [index: number, content: Content]>
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

/** A message that has been verified, or has not. */
interface Judged {
  readonly arrival: Arrival
  readonly verification: Verification
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

function idsOf(judged: readonly Judged[]): string[] {
  return judged.flatMap(({ verification }) =>
    verification.status === 'fulfilled' ? verification.value.map(({ id }) => id) : [],
  )
}

/** From what has come to messages that can be given: it verifies them, and rejects those that do not verify. */
export class Intake {
  readonly #settings: ConsumeSettings
  readonly #user: ConsumerUser
  /** Of messages that come again, what is left to do. */
  readonly #parcels = new WeakMap<Arrival, Parcel>()
  /** Messages that have come. */
  #waiting: Arrival[] = []
  /** Messages that were verified together, and are given one after the other. */
  #judged: Iterator<Judged> = [].values()
  #stopped = false
  #passedOver = 0
  #turnEnds = performance.now() + TURN_MS

  constructor(settings: ConsumeSettings, user: ConsumerUser) {
    this.#settings = settings
    this.#user = user
  }

  /** Opens nothing more. */
  stop(): void {
    this.#stopped = true
  }

  /** Lets go of what has come. */
  clear(): void {
    this.stop()
    this.#waiting = []
    this.#judged = [].values()
  }

  /**
   * The next message that verifies; none when there is no other.
   *
   * @param expect - hears the ids of bundles that were verified together
   */
  async next(
    supply: Supply,
    expect?: (ids: readonly string[]) => Promise<void>,
  ): Promise<Opened | undefined> {
    while (!this.#stopped && !supply.isOver) {
      const { value, done } = this.#judged.next()
      if (done) {
        if (this.#waiting.length === 0) this.#waiting = [...(await supply.take())]
        if (this.#waiting.length === 0) return undefined
        const judged = await this.#judge(this.#waiting.splice(0, howManyTogether(this.#waiting)))
        await expect?.(idsOf(judged))
        this.#judged = judged.values()
      } else {
        const opened = await this.#open(value)
        if (opened) return opened
      }
    }
    return undefined
  }

  /** How many messages said nothing about a payload, and were no reason to reject anything. */
  get passedOver(): number {
    return this.#passedOver
  }

  /** Whether others should have a turn. */
  get isTurn(): boolean {
    return performance.now() >= this.#turnEnds
  }

  /** Lets others have a turn. */
  async turn(): Promise<void> {
    await nextTurn()
    this.#turnEnds = performance.now() + TURN_MS
  }

  /** Verifies messages together. */
  async #judge(arrivals: readonly Arrival[]): Promise<Judged[]> {
    const messages = arrivals.map(({ message }) => message)
    const verified = await verifyMessages(messages, this.#user.trust)
    return arrivals.map((arrival, at) => ({ arrival, verification: verified[at] as Verification }))
  }

  /** Nothing of a message that does not verify, which is done with then, nor of one that comes again on another connection. */
  async #open({ arrival, verification }: Judged): Promise<Opened | undefined> {
    if (this.isTurn) await this.turn()
    const outcome =
      verification.status === 'fulfilled'
        ? verification.value
        : await this.#classicOr(verification.reason, arrival)
    if (arrival.withdrawn) return undefined
    if (outcome === 'passed over') {
      this.#passedOver++
      this.#user.logger.debug({ topic: arrival.topic }, 'message skipped: it says nothing about a payload')
      arrival.ack()
      return undefined
    }
    if (outcome instanceof AlvariumError) {
      await this.#reject(arrival, outcome)
      return undefined
    }
    const parcel = this.#parcels.get(arrival) ?? new Parcel(arrival)
    this.#parcels.set(arrival, parcel)
    return { arrival, parcel, left: parcel.begin<Content>(outcome) }
  }

  /** What is no bundle of ours may be classic, and nothing else may: so each message has one reading. */
  async #classicOr(
    reason: AlvariumError,
    { message }: Arrival,
  ): Promise<readonly IdentifiedClassic[] | 'passed over' | AlvariumError> {
    const { classic, trust } = this.#user
    if (!classic || reason.code !== 'MESSAGE_MALFORMED') return reason
    try {
      const found = await verifyIfClassic(message, trust.keyring, classic)
      if (found === 'passed over') return found
      return found ? [found] : reason
    } catch (error) {
      if (error instanceof AlvariumError) return error
      throw error
    }
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
