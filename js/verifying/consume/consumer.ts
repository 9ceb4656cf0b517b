import { Tally } from '../../foundation/base/time/tally.js'
import { verifyTurns } from '../../foundation/base/time/turns.js'
import { classicVerifiedChannel, verifiedChannel } from '../../transport/streams/channels.js'
import { Dedup } from './dedup.js'
import { type ControlVerifier, DeliveredGroup, type GroupSettings } from './group.js'
import { GroupBuilder, type GroupSource } from './group-builder.js'
import { type Deliverable, Intake, type MessageSource } from './intake.js'
import type { ConsumeSettings } from './options.js'
import { ControlMessage } from './other-messages.js'
import type { ReceivedBundle, ReceivedClassic } from './received.js'
import { type Candidate, type Delivered, makeDelivered, Settlement } from './settlement.js'
import type { ConsumerContext } from './user.js'

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

  constructor(settings: ConsumeSettings, user: ConsumerContext) {
    this.#settings = settings
    this.#user = user
    this.#intake = new Intake(settings, user)
    this.#dedup = settings.dedup && new Dedup(settings.dedup)
  }

  get skipped(): number {
    return this.#intake.skipped
  }

  /** Stops delivery. Resolves when all delivered bundles are settled. */
  stop(): Promise<void> {
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
    const messages = { take: () => this.#intake.take(source) }
    try {
      await source.begin()
      for (;;) {
        const candidates = await this.#intake.next(messages, lookUp)
        if (!candidates) return
        for (const candidate of candidates) {
          const turn = verifyTurns.yieldIfDue()
          if (turn) await turn
          if (!isBundle(candidate) || (dedup && (await isCopy(candidate, dedup)))) continue
          if (this.#intake.isStopped) return
          const bundle = this.#makeDelivery(candidate)
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
   * @param verifier - verifier of leases and checkpoints; with it, the groups also contain these messages
   */
  async *deliverGroups(
    source: LoopSource & GroupSource,
    settings: GroupSettings,
    verifier?: ControlVerifier,
  ): AsyncGenerator<DeliveredGroup, void> {
    if (verifier) this.#intake.setControlVerifier(verifier)
    const builder = new GroupBuilder(this.#intake, source, settings)
    try {
      await source.begin()
      for (let found = await builder.next(); found; found = await builder.next()) {
        const all = found.filter(isBundle)
        const bundles = this.#dedup ? await dropCopies(all, this.#dedup) : all
        const controls = found.filter(isControl)
        if (this.#intake.isStopped) return
        if (bundles.length + controls.length === 0) continue
        const group = this.#makeGroup(bundles, controls)
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

  #abandon(): void {
    this.#unsettled.end(this.#unsettled.count)
    this.#intake.clear()
  }

  #makeDelivery(candidate: Candidate): Delivered {
    announce(candidate)
    this.#unsettled.begin()
    return makeDelivered(new Settlement((done) => this.#settle(candidate, done)), candidate)
  }

  #makeGroup(bundles: readonly Candidate[], controls: readonly Candidate<ControlMessage>[]): DeliveredGroup {
    const members = bundles.map((one) => ({
      content: this.#makeDelivery(one),
      settle: (done: boolean) => this.#finish(one, done),
    }))
    const others = controls.map((one) => {
      this.#unsettled.begin()
      return { content: one.content.verified, settle: (done: boolean) => this.#finish(one, done) }
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

  #finish({ message, index }: Deliverable, done: boolean): void {
    message.settle(index, done)
    if (this.#unsettled.count > 0) this.#unsettled.end()
  }
}

function isControl(one: Deliverable): one is Candidate<ControlMessage> {
  return one.content instanceof ControlMessage
}

function isBundle(one: Deliverable): one is Candidate {
  return !isControl(one)
}

function isCopy({ message, index, content }: Candidate, dedup: Dedup): Promise<boolean> {
  return dedup.isCopy(content.id, (done) => message.settle(index, done))
}

async function dropCopies(found: readonly Candidate[], dedup: Dedup): Promise<Candidate[]> {
  const ids = found.map(({ content }) => content.id)
  // Look up the ids of the whole group in one query.
  await dedup.lookUp(ids, ids.length)
  const left: Candidate[] = []
  for (const one of found) if (!(await isCopy(one, dedup))) left.push(one)
  return left
}

function announce({ message: { arrival }, content }: Candidate): void {
  const { topic, message } = arrival
  if (!('dialect' in content)) {
    if (verifiedChannel.hasSubscribers) verifiedChannel.publish({ topic, message, bundle: content })
  } else if (classicVerifiedChannel.hasSubscribers) {
    const { id, action, dialect } = content
    classicVerifiedChannel.publish({ topic, message, id, action, dialect })
  }
}
