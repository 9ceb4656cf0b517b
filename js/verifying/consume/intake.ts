import { countFitting } from '../../foundation/base/bytes/join.js'
import { AlvariumError, isVerdict } from '../../foundation/base/errors.js'
import { verifyTurns } from '../../foundation/base/time/turns.js'
import { rejectedChannel } from '../../transport/streams/channels.js'
import type { Arrival } from '../../transport/streams/mqtt/inbox.js'
import { type Verification, verifyReceived } from '../verify/messages.js'
import { publishDeadLetter } from './dead-letters.js'
import type { TakesBeside } from './group.js'
import type { ConsumeSettings } from './options.js'
import { BesideMail, OtherMessages } from './other-messages.js'
import { type Content, OpenedMessage } from './settlement.js'
import type { ConsumerUser } from './user.js'

/** Source of messages. */
export interface Supply {
  /** Takes received messages, at least one; an empty array if no more can arrive. For one caller at a time. */
  take(): Promise<readonly Arrival[]>
  /** True if already received messages may wait too. */
  readonly isOver?: boolean
}

/** A message that verifies, and its bundles that are not acknowledged. */
export interface OpenedMail {
  readonly message: OpenedMessage
  readonly left: Iterable<readonly [index: number, content: Content]>
  /** Verified lease or checkpoint in place of bundles. */
  readonly beside?: object
}

/** A message and the result of its verification. */
type Verified = readonly [arrival: Arrival, verification: Verification]

/**
 * Batch size of verification. More bytes gain little, and the bundles of a batch are many objects, which the garbage
 * collector must move if they wait for long.
 */
const TOGETHER = { bytes: 128 * 1024 }

/** Verifies received messages, and rejects the invalid ones. */
export class Intake {
  readonly #settings: ConsumeSettings
  readonly #user: ConsumerUser
  readonly #others: OtherMessages
  /** State of messages that may be redelivered. */
  readonly #opened = new WeakMap<Arrival, OpenedMessage>()
  /** Received messages that are not verified yet. */
  #arrivals: Arrival[] = []
  /** Messages that were verified in one call, and are opened one after the other. */
  #verified: Iterator<Verified> = [].values()
  #stopped = false
  #passedOver = 0

  constructor(settings: ConsumeSettings, user: ConsumerUser) {
    this.#settings = settings
    this.#user = user
    this.#others = new OtherMessages(user)
  }

  /** Number of messages that were skipped: they are not about a payload, and no reason for a rejection. */
  get passedOver(): number {
    return this.#passedOver
  }

  /** Opens leases and checkpoints too, for a verifier. */
  openBeside(taker: TakesBeside): void {
    this.#others.takenBy(taker)
    this.#user.leases?.passOn()
  }

  /** Stops opening messages. */
  stop(): void {
    this.#stopped = true
  }

  /** Drops all received messages. */
  clear(): void {
    this.stop()
    this.#arrivals = []
    this.#verified = [].values()
  }

  /** Takes received messages that may be verified now. */
  take(source: Supply): Promise<readonly Arrival[]> {
    const { leases } = this.#user
    return leases ? leases.take(source, (arrival, error) => this.#reject(arrival, error)) : source.take()
  }

  /**
   * Returns the next message that verifies; undefined if there are no more.
   *
   * @param expect - called with the ids of bundles that were verified in one call
   */
  async next(
    supply: Supply,
    expect?: (ids: readonly string[]) => Promise<void>,
  ): Promise<OpenedMail | undefined> {
    while (!this.#stopped && !supply.isOver) {
      const { value, done } = this.#verified.next()
      if (done) {
        if (this.#arrivals.length === 0) this.#arrivals = [...(await this.#take(supply))]
        if (this.#arrivals.length === 0) return undefined
        const count = countFitting(this.#arrivals, TOGETHER, ({ message }) => message.length)
        const verified = await this.#verify(this.#arrivals.splice(0, count))
        await expect?.(idsOf(verified))
        this.#verified = verified.values()
      } else {
        const opened = await this.#open(value)
        if (opened) return opened
      }
    }
    return undefined
  }

  async #take(supply: Supply): Promise<readonly Arrival[]> {
    const { watcher } = this.#user
    watcher?.waits(true)
    const arrivals = await supply.take()
    watcher?.waits(false)
    return arrivals
  }

  async #verify(arrivals: readonly Arrival[]): Promise<Verified[]> {
    const messages = arrivals.map(({ message }) => message)
    const receivedAt = (at: number) => arrivals[at]?.receivedAt
    const { trust, leases } = this.#user
    const verified = await verifyReceived(messages, { ...trust, leases: leases?.book }, receivedAt)
    return arrivals.map((arrival, at) => [arrival, verified[at] as Verification])
  }

  /** Opens a message. Returns undefined if the message is settled, or if the broker redelivers it on another connection. */
  async #open([arrival, verification]: Verified): Promise<OpenedMail | undefined> {
    const turn = verifyTurns.take()
    if (turn) await turn
    const outcome =
      verification.status === 'fulfilled'
        ? verification.value
        : await this.#others.read(verification.reason, arrival)
    if (arrival.withdrawn) return undefined
    if (outcome instanceof AlvariumError) return this.#refuse(arrival, outcome)
    if (outcome === 'done' || outcome === 'passed over') {
      if (outcome === 'passed over') this.#passOver(arrival)
      arrival.ack()
      return undefined
    }
    const message = this.#messageOf(arrival)
    if (outcome instanceof BesideMail) {
      message.open([outcome])
      return { message, left: [], beside: outcome.verified }
    }
    if (verification.status === 'fulfilled') {
      this.#user.watcher?.message(arrival, verification.value, this.#user.trust.codec)
    }
    return { message, left: message.open<Content>(outcome) }
  }

  #passOver({ topic }: Arrival): void {
    this.#passedOver++
    this.#user.logger.debug({ topic }, 'message skipped: it says nothing about a payload')
  }

  /** Lets a message wait for its lease, or rejects it. */
  async #refuse(arrival: Arrival, error: AlvariumError): Promise<undefined> {
    if (!(await this.#user.leases?.hold(arrival, error))) await this.#reject(arrival, error)
  }

  #messageOf(arrival: Arrival): OpenedMessage {
    const message = this.#opened.get(arrival) ?? new OpenedMessage(arrival)
    this.#opened.set(arrival, message)
    return message
  }

  async #reject(arrival: Arrival, error: AlvariumError): Promise<void> {
    const { deadLetter } = this.#settings
    const { trust, logger } = this.#user
    // A failure that is not about the message ends the loop.
    if (!isVerdict(error)) throw error
    logger.warn({ err: error, topic: arrival.topic }, 'message rejected')
    const { topic, message, receivedAt } = arrival
    if (rejectedChannel.hasSubscribers) rejectedChannel.publish({ topic, message, error })
    this.#user.rejected(arrival, error)
    if (deadLetter) {
      const { code, message: reason, signer } = error
      const letter = {
        code,
        reason,
        topic,
        receivedAt,
        signer,
        contentType: trust.codec?.contentType,
        message,
      }
      await publishDeadLetter(deadLetter, letter, logger)
    }
    arrival.ack()
  }
}

function idsOf(verified: readonly Verified[]): string[] {
  return verified.flatMap(([, verification]) =>
    verification.status === 'fulfilled' ? verification.value.map(({ id }) => id) : [],
  )
}
