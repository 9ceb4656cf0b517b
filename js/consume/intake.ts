import { fitting } from '../base/bytes/join.js'
import { AlvariumError, isVerdict } from '../base/errors.js'
import type { Logger } from '../base/logger.js'
import { verifyTurns } from '../base/time/turns.js'
import { type ClassicWishes, type IdentifiedClassic, verifyIfClassic } from '../classic/received.js'
import type { Keyring } from '../keys/keyring.js'
import type { TrustPolicy } from '../keys/trust-policy.js'
import { rejected } from '../streams/channels.js'
import type { Arrival } from '../streams/mqtt/inbox.js'
import { type Verification, verifyReceived } from '../verify/messages.js'
import type { VerifyOptions } from '../verify/options.js'
import { isCheckpoint, isLease, isSet } from './beside.js'
import type { TakesBeside } from './group.js'
import type { LeaseIntake } from './leases.js'
import type { ConsumeSettings } from './options.js'
import { type Content, OpenedMessage } from './settlement.js'
import type { Watcher } from './watch.js'

/** Whom to trust, and how messages are written. */
type IntakeTrust = Pick<VerifyOptions, 'codec'> & { readonly keyring: Keyring | TrustPolicy }

/** Who uses a consumer. */
export interface ConsumerUser {
  /** Whom to trust, and how messages are written. */
  readonly trust: IntakeTrust
  /** Whether messages of the other SDKs are wanted too, and which. */
  readonly classic: ClassicWishes | undefined
  readonly logger: Logger
  /** Takes leases out of what comes. Default: nobody does. */
  readonly leases?: LeaseIntake | undefined
  /** Who sees all that comes, and what does not. */
  readonly watcher?: Watcher | undefined
  /** Takes each checkpoint that verifies, before it is acknowledged. */
  readonly onCheckpoint?: ((checkpoint: Uint8Array) => Promise<unknown>) | undefined
  /** Whether the loop ends with this error because it was closed while it waited for somebody's own code. */
  isOver(error: unknown): boolean
  /** A message does not verify. */
  rejected(arrival: Arrival, error: AlvariumError): void
}

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

/** What a message that has no bundles is. */
type Otherwise = readonly IdentifiedClassic[] | 'passed over' | 'done' | BesideMail | AlvariumError

/** A lease or a checkpoint that somebody takes. */
class BesideMail {
  constructor(readonly verified: object) {}
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
  /** Of messages that are redelivered, what is left to do. */
  readonly #opened = new WeakMap<Arrival, OpenedMessage>()
  /** Messages that have come. */
  #arrivals: Arrival[] = []
  /** Messages that were verified together, and are opened one after the other. */
  #verified: Iterator<Verified> = [].values()
  /** Who takes leases and checkpoints. */
  #taker: TakesBeside | undefined
  #stopped = false
  #passedOver = 0

  constructor(settings: ConsumeSettings, user: ConsumerUser) {
    this.#settings = settings
    this.#user = user
  }

  /** How many messages said nothing about a payload, and were no reason to reject anything. */
  get passedOver(): number {
    return this.#passedOver
  }

  /** Leases and checkpoints are opened too, as somebody takes them. */
  openBeside(taker: TakesBeside): void {
    this.#taker = taker
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
        : await this.#otherwise(verification.reason, arrival)
    if (arrival.withdrawn) return undefined
    if (outcome === 'done') {
      arrival.ack()
      return undefined
    }
    if (outcome instanceof BesideMail) {
      const message = this.#messageOf(arrival)
      message.open([outcome])
      return { message, left: [], beside: outcome.verified }
    }
    if (outcome === 'passed over') {
      this.#passedOver++
      this.#user.logger.debug({ topic: arrival.topic }, 'message skipped: it says nothing about a payload')
      arrival.ack()
      return undefined
    }
    if (outcome instanceof AlvariumError) {
      if (await this.#user.leases?.hold(arrival, outcome)) return undefined
      await this.#reject(arrival, outcome)
      return undefined
    }
    if (verification.status === 'fulfilled') {
      this.#user.watcher?.message(arrival, verification.value, this.#user.trust.codec)
    }
    const message = this.#messageOf(arrival)
    return { message, left: message.open<Content>(outcome) }
  }

  #messageOf(arrival: Arrival): OpenedMessage {
    const message = this.#opened.get(arrival) ?? new OpenedMessage(arrival)
    this.#opened.set(arrival, message)
    return message
  }

  /** What is no bundle may be a checkpoint, a lease or a set: for who takes those, and nothing to anybody else. */
  async #otherwise(reason: AlvariumError, arrival: Arrival): Promise<Otherwise> {
    const { message } = arrival
    if (isSet(message)) return 'passed over'
    const isNote = isCheckpoint(message)
    if (!isNote && !isLease(message)) return this.#classicOr(reason, arrival)
    const watcher = isNote ? this.#user.watcher : undefined
    const verified = await this.#besideOr(arrival, watcher)
    if (verified instanceof AlvariumError) return verified
    // Whoever cannot store it ends the loop: the broker has it still.
    if (watcher) await this.#user.onCheckpoint?.(message)
    if (typeof verified === 'object') return new BesideMail(verified)
    return watcher ? 'done' : 'passed over'
  }

  /** What the taker says of it, or why it does not verify. */
  async #besideOr(
    arrival: Arrival,
    watcher: Watcher | undefined,
  ): Promise<object | 'passed over' | AlvariumError | undefined> {
    const { trust, leases } = this.#user
    const trusted = { keyring: trust.keyring, leases: leases?.book }
    try {
      await watcher?.checkpoint(arrival, trusted)
      return await this.#taker?.verify(arrival, trusted)
    } catch (error) {
      if (error instanceof AlvariumError) return error
      throw error
    }
  }

  /** What is no bundle of ours may be classic, and nothing else may: so each message has one reading. */
  async #classicOr(
    reason: AlvariumError,
    { message, receivedAt }: Arrival,
  ): Promise<readonly IdentifiedClassic[] | 'passed over' | AlvariumError> {
    const { classic, trust, leases } = this.#user
    if (!classic || reason.code !== 'MESSAGE_MALFORMED') return reason
    try {
      const found = await verifyIfClassic(message, trust.keyring, classic, {
        receivedAt,
        leases: leases?.book,
      })
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
    // A failure of ours says nothing about the message.
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

function idsOf(verified: readonly Verified[]): string[] {
  return verified.flatMap(([, verification]) =>
    verification.status === 'fulfilled' ? verification.value.map(({ id }) => id) : [],
  )
}
