import { fitting } from '../base/bytes/join.js'
import { AlvariumError, isVerdict } from '../base/errors.js'
import { verifyTurns } from '../base/time/turns.js'
import { rejected } from '../streams/channels.js'
import type { Arrival } from '../streams/mqtt/inbox.js'
import { type Verification, verifyReceived } from '../verify/messages.js'
import { publishDeadLetter } from './dead-letters.js'
import type { TakesBeside } from './group.js'
import type { ConsumeSettings } from './options.js'
import { BesideMail, OtherMessages } from './other-messages.js'
import { type Content, OpenedMessage } from './settlement.js'
import type { ConsumerUser } from './user.js'

/** Where messages come from. */
export interface Supply {
  /** What has come, at least one message; none if there is nothing more to wait for. For one caller at a time. */
  take(): Promise<readonly Arrival[]>
  /** Whether what has come already may wait as well. */
  readonly isOver?: boolean
}

/** A message that verifies, and those of its bundles that are not done. */
export interface OpenedMail {
  readonly message: OpenedMessage
  readonly left: Iterable<readonly [index: number, content: Content]>
  /** What was verified in its place, of a lease or a checkpoint: for who takes those. */
  readonly beside?: object
}

/** A message, and whether it verifies. */
type Verified = readonly [arrival: Arrival, verification: Verification]

/**
 * Messages are verified together up to so many bytes. More gain little, and the bundles of a batch are many objects, which
 * the garbage collector has to move if they wait for long.
 */
const TOGETHER = { bytes: 128 * 1024 }

/** Verifies what has come, and rejects what does not verify. */
export class Intake {
  readonly #settings: ConsumeSettings
  readonly #user: ConsumerUser
  readonly #others: OtherMessages
  /** Of messages that are redelivered, what is left to do. */
  readonly #opened = new WeakMap<Arrival, OpenedMessage>()
  /** Messages that have come. */
  #arrivals: Arrival[] = []
  /** Messages that were verified together, and are opened one after the other. */
  #verified: Iterator<Verified> = [].values()
  #stopped = false
  #passedOver = 0

  constructor(settings: ConsumeSettings, user: ConsumerUser) {
    this.#settings = settings
    this.#user = user
    this.#others = new OtherMessages(user)
  }

  /** How many messages said nothing about a payload, and were no reason to reject anything. */
  get passedOver(): number {
    return this.#passedOver
  }

  /** Leases and checkpoints are opened too, as somebody takes them. */
  openBeside(taker: TakesBeside): void {
    this.#others.takenBy(taker)
    this.#user.leases?.passOn()
  }

  /** Opens nothing more. */
  stop(): void {
    this.#stopped = true
  }

  /** Releases what has come. */
  clear(): void {
    this.stop()
    this.#arrivals = []
    this.#verified = [].values()
  }

  /** What comes, and may be verified now. */
  take(source: Supply): Promise<readonly Arrival[]> {
    const { leases } = this.#user
    return leases ? leases.take(source, (arrival, error) => this.#reject(arrival, error)) : source.take()
  }

  /**
   * The next message that verifies; none if there is no other.
   *
   * @param expect - hears the ids of bundles that were verified together
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
        const count = fitting(this.#arrivals, TOGETHER, ({ message }) => message.length)
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

  /** Nothing if the message does not verify, which settles it, or if the broker redelivers it on another connection. */
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

  /** It waits for its lease, or is rejected. */
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
    // A failure of ours says nothing about the message.
    if (!isVerdict(error)) throw error
    logger.warn({ err: error, topic: arrival.topic }, 'message rejected')
    const { topic, message, receivedAt } = arrival
    if (rejected.hasSubscribers) rejected.publish({ topic, message, error })
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
