import { countFitting } from '../../foundation/base/bytes/join.js'
import { AlvariumError, isVerdict } from '../../foundation/base/errors.js'
import { verifyTurns } from '../../foundation/base/time/turns.js'
import { rejectedChannel } from '../../transport/streams/channels.js'
import type { ReceivedMessage } from '../../transport/streams/mqtt/inbox.js'
import { type Verification, verifyReceived } from '../verify/messages.js'
import { publishDeadLetter } from './dead-letter.js'
import type { ControlVerifier } from './group.js'
import type { ConsumeSettings } from './options.js'
import { ControlMessage, OtherMessages } from './other-messages.js'
import { type Candidate, type Content, OpenedMessage } from './settlement.js'
import type { ConsumerContext } from './user.js'

export interface MessageSource {
  /** Returns at least one received message, or an empty array at the end. Do not call it concurrently. */
  take(): Promise<readonly ReceivedMessage[]>
  /** True if the consumer must stop taking messages, even ones that have already arrived. */
  readonly isOver?: boolean
}

/** Bundle, classic message, lease or checkpoint that is ready for delivery. */
export type Deliverable = Candidate<Content | ControlMessage>

type VerifiedArrival = readonly [arrival: ReceivedMessage, verification: Verification]

/** Maximum total length of the messages to verify in one call. Many bundles in memory slow garbage collection. */
const VERIFY_BATCH = { bytes: 128 * 1024 }

export class Intake {
  readonly #settings: ConsumeSettings
  readonly #user: ConsumerContext
  readonly #otherMessages: OtherMessages
  readonly #opened = new WeakMap<ReceivedMessage, OpenedMessage>()
  #arrivals: ReceivedMessage[] = []
  #verified: Iterator<VerifiedArrival> = [].values()
  #isStopped = false
  #skipped = 0

  constructor(settings: ConsumeSettings, user: ConsumerContext) {
    this.#settings = settings
    this.#user = user
    this.#otherMessages = new OtherMessages(user)
  }

  /** Number of messages skipped because they have no statement about a payload. */
  get skipped(): number {
    return this.#skipped
  }

  setControlVerifier(verifier: ControlVerifier): void {
    this.#otherMessages.verifier = verifier
    this.#user.leases?.deliverLeases()
  }

  get isStopped(): boolean {
    return this.#isStopped
  }

  stop(): void {
    this.#isStopped = true
  }

  clear(): void {
    this.stop()
    this.#arrivals = []
    this.#verified = [].values()
  }

  /**
   * Returns received messages of a source. If the subscription uses leases, omits messages that wait for a
   * lease, and the leases themselves unless {@link setControlVerifier} was called.
   */
  take(source: MessageSource): Promise<readonly ReceivedMessage[]> {
    const { leases } = this.#user
    return leases ? leases.take(source, (arrival, error) => this.#reject(arrival, error)) : source.take()
  }

  /**
   * Returns the contents of the next message to deliver, or undefined if there are no more.
   *
   * @param expect - called with the ids of all bundles that were verified in one call
   */
  async next(
    supply: MessageSource,
    expect?: (ids: readonly string[]) => Promise<void>,
  ): Promise<readonly Deliverable[] | undefined> {
    while (!this.#isStopped && !supply.isOver) {
      const { value, done } = this.#verified.next()
      if (done) {
        if (this.#arrivals.length === 0) this.#arrivals = [...(await this.#take(supply))]
        if (this.#arrivals.length === 0) return undefined
        const count = countFitting(this.#arrivals, VERIFY_BATCH, ({ message }) => message.length)
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

  async #take(supply: MessageSource): Promise<readonly ReceivedMessage[]> {
    const { watcher } = this.#user
    watcher?.setWaiting(true)
    const arrivals = await supply.take()
    watcher?.setWaiting(false)
    return arrivals
  }

  async #verify(arrivals: readonly ReceivedMessage[]): Promise<VerifiedArrival[]> {
    const messages = arrivals.map(({ message }) => message)
    const receivedAt = (at: number) => arrivals[at]?.receivedAt
    const { trust, leases } = this.#user
    const verified = await verifyReceived(messages, { ...trust, leases: leases?.book }, receivedAt)
    return arrivals.map((arrival, at) => [arrival, verified[at] as Verification])
  }

  /**
   * Processes a verification result. Returns undefined if the message needs no delivery: skipped, rejected,
   * waiting for a lease, or withdrawn because the broker redelivers it.
   */
  async #open([arrival, verification]: VerifiedArrival): Promise<readonly Deliverable[] | undefined> {
    const turn = verifyTurns.yieldIfDue()
    if (turn) await turn
    const outcome =
      verification.status === 'fulfilled'
        ? verification.value
        : await this.#otherMessages.read(verification.reason, arrival)
    if (arrival.withdrawn) return undefined
    if (outcome instanceof AlvariumError) return this.#refuse(arrival, outcome)
    if (outcome === 'done' || outcome === 'skipped') {
      if (outcome === 'skipped') this.#skip(arrival)
      arrival.ack()
      return undefined
    }
    if (verification.status === 'fulfilled') {
      this.#user.watcher?.addMessage(arrival, verification.value, this.#user.trust.codec)
    }
    return this.#messageOf(arrival).open<Content | ControlMessage>(
      outcome instanceof ControlMessage ? [outcome] : outcome,
    )
  }

  #skip({ topic }: ReceivedMessage): void {
    this.#skipped++
    this.#user.logger.debug({ topic }, 'message skipped: it says nothing about a payload')
  }

  async #refuse(arrival: ReceivedMessage, error: AlvariumError): Promise<undefined> {
    if (!(await this.#user.leases?.park(arrival, error))) await this.#reject(arrival, error)
  }

  #messageOf(arrival: ReceivedMessage): OpenedMessage {
    const message = this.#opened.get(arrival) ?? new OpenedMessage(arrival)
    this.#opened.set(arrival, message)
    return message
  }

  async #reject(arrival: ReceivedMessage, error: AlvariumError): Promise<void> {
    const { deadLetter } = this.#settings
    const { trust, logger } = this.#user
    // End the loop for an error that no message causes.
    if (!isVerdict(error)) throw error
    logger.warn({ err: error, topic: arrival.topic }, 'message rejected')
    const { topic, message, receivedAt } = arrival
    if (rejectedChannel.hasSubscribers) rejectedChannel.publish({ topic, message, error })
    this.#user.onRejected(arrival, error)
    if (deadLetter) {
      const { code, message: reason, signer } = error
      const { contentType } = trust.codec ?? {}
      const letter = { code, reason, topic, receivedAt, signer, contentType, message }
      await publishDeadLetter(deadLetter, letter, logger)
    }
    arrival.ack()
  }
}

function idsOf(verified: readonly VerifiedArrival[]): string[] {
  return verified.flatMap(([, verification]) =>
    verification.status === 'fulfilled' ? verification.value.map(({ id }) => id) : [],
  )
}
