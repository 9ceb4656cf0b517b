import { Tally } from '../../foundation/base/time/tally.js'
import { verifyTurns } from '../../foundation/base/time/turns.js'
import { classicVerifiedChannel, verifiedChannel } from '../../transport/streams/channels.js'
import type { ReceivedMessage } from '../../transport/streams/mqtt/inbox.js'
import { Dedup } from './dedup.js'
import { type ControlVerifier, DeliveredGroup, type GroupSettings } from './group.js'
import { type Candidate, type ControlCandidate, GroupBuilder, type GroupSource } from './group-builder.js'
import { Intake, type MessageSource } from './intake.js'
import type { ConsumeSettings } from './options.js'
import type { ReceivedBundle, ReceivedClassic } from './received.js'
import { type Delivered, makeDelivered, Settlement } from './settlement.js'
import type { ConsumerContext } from './user.js'

/** Source of messages that is notified when a loop begins and ends. */
export interface LoopSource extends MessageSource {
  /** Starts the source of messages. Called before the application's loop takes the first message. */
  begin(): Promise<void>
  /** Stops the source of messages. Called after the application's loop, even if the loop failed. */
  end(): Promise<void>
}

/** Delivers verified bundles to a loop. Acknowledges a message when all of its bundles are settled. */
export class Consumer {
  readonly #settings: ConsumeSettings
  readonly #user: ConsumerContext
  readonly #intake: Intake
  readonly #dedup: Dedup | undefined
  /** Number of delivered bundles that are not settled. */
  readonly #unsettled = new Tally()
  #stopped = false

  constructor(settings: ConsumeSettings, user: ConsumerContext) {
    this.#settings = settings
    this.#user = user
    this.#intake = new Intake(settings, user)
    this.#dedup = settings.dedup && new Dedup(settings.dedup)
  }

  get skipped(): number {
    return this.#intake.skipped
  }

  /** Returns messages as {@link Intake.take} does. A source of {@link deliver} must call this in `take()`. */
  take(supply: MessageSource): Promise<readonly ReceivedMessage[]> {
    return this.#intake.take(supply)
  }

  /** Stops delivery. Resolves when all delivered bundles are settled. */
  stop(): Promise<void> {
    this.#stopped = true
    this.#intake.stop()
    return this.#unsettled.none()
  }

  /**
   * Delivers the bundles of a source one by one. Uses a single generator, because a second one would make verifying a
   * batch 10 % slower.
   *
   * @throws errors that no message causes: `CORE_FAILED`, and errors of the source, the callbacks, the store
   * of `dedup` and the dead-letter stream
   */
  async *deliver(source: LoopSource): AsyncGenerator<ReceivedBundle | ReceivedClassic, void> {
    const dedup = this.#dedup
    const lookUp = dedup && ((ids: readonly string[]) => dedup.lookUp(ids))
    try {
      await source.begin()
      for (;;) {
        const next = await this.#intake.next(source, lookUp)
        if (!next) return
        const { message, left } = next
        for (const [index, content] of left) {
          const turn = verifyTurns.yieldIfDue()
          if (turn) await turn
          if (dedup && (await dedup.isCopy(content.id, (done) => message.settle(index, done)))) continue
          if (this.#stopped) return
          const bundle = this.#makeDelivery({ message, index, content })
          yield bundle
          const pending = this.#settings.ack === 'next' && Settlement.ackOf(bundle)
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

  /**
   * Delivers bundles in groups. Throws like {@link deliver}.
   *
   * @param taker - verifier of leases and checkpoints. If given, the groups contain these messages too
   */
  async *deliverGroups(
    source: LoopSource & GroupSource,
    settings: GroupSettings,
    taker?: ControlVerifier,
  ): AsyncGenerator<DeliveredGroup, void> {
    if (taker) this.#intake.setControlVerifier(taker)
    const gathering = new GroupBuilder(this.#intake, source, settings)
    try {
      await source.begin()
      for (let next = await gathering.next(); next; next = await gathering.next()) {
        const { candidates, controls } = next
        const left = this.#dedup ? await dropCopies(candidates, this.#dedup) : candidates
        if (this.#stopped) return
        if (left.length + controls.length === 0) continue
        const group = this.#makeGroup(left, controls)
        yield group
        if (this.#settings.ack === 'next') await group.ack()
      }
    } catch (error) {
      if (!this.#user.isOver(error)) throw error
    } finally {
      this.#abandon()
      await source.end()
    }
  }

  /** Ends delivery. Bundles that the application has not settled stay unsettled. */
  #abandon(): void {
    this.#stopped = true
    this.#unsettled.end(this.#unsettled.count)
    this.#intake.clear()
  }

  #makeDelivery(candidate: Candidate): Delivered {
    const { message, index, content } = candidate
    announce(candidate)
    this.#unsettled.begin()
    const settlement = new Settlement((done) => this.#settle(candidate, done))
    return makeDelivered(settlement, content, message.arrival, index)
  }

  #makeGroup(candidates: readonly Candidate[], controls: readonly ControlCandidate[]): DeliveredGroup {
    const members = candidates.map((one) => ({
      bundle: this.#makeDelivery(one),
      settle: (done: boolean) => this.#finish(one, done),
    }))
    const others = controls.map(({ message, verified }) => {
      this.#unsettled.begin()
      return { verified, settle: (done: boolean) => this.#finish({ message, index: 0 }, done) }
    })
    return new DeliveredGroup(members, others, (ids, done) => this.#mark(ids, done))
  }

  #settle(candidate: Candidate, done: boolean): Promise<void> | undefined {
    const marking = this.#mark([candidate.content.id], done)
    if (marking) return marking.then(() => this.#finish(candidate, done))
    this.#finish(candidate, done)
    return undefined
  }

  #mark(ids: readonly string[], done: boolean): Promise<void> | undefined {
    return this.#dedup?.settle(ids, done).catch((err) => {
      this.#user.logger.error({ err }, 'a bundle was not acknowledged, and will be redelivered')
      throw err
    })
  }

  #finish({ message, index }: Pick<Candidate, 'message' | 'index'>, done: boolean): void {
    message.settle(index, done)
    if (this.#unsettled.count > 0) this.#unsettled.end()
  }
}

async function dropCopies(found: readonly Candidate[], dedup: Dedup): Promise<Candidate[]> {
  const ids = found.map(({ content }) => content.id)
  // Look up the ids of the whole group in one query.
  await dedup.lookUp(ids, ids.length)
  const left: Candidate[] = []
  for (const one of found) {
    const { message, index, content } = one
    if (!(await dedup.isCopy(content.id, (done) => message.settle(index, done)))) left.push(one)
  }
  return left
}

/** Publishes a bundle on a diagnostics channel. Called just before delivery. */
function announce({ message: { arrival }, content }: Candidate): void {
  const { topic, message } = arrival
  if (!('dialect' in content)) {
    if (verifiedChannel.hasSubscribers) verifiedChannel.publish({ topic, message, bundle: content })
  } else if (classicVerifiedChannel.hasSubscribers) {
    const { id, action, dialect } = content
    classicVerifiedChannel.publish({ topic, message, id, action, dialect })
  }
}
