import { Tally } from '../base/tally.js'
import { Dedup } from './dedup.js'
import { type Candidate, Gathering, type GroupSupply } from './gathering.js'
import { type Content, type Given, received, say } from './given.js'
import { type GroupSettings, HeldGroup } from './group.js'
import { type ConsumerUser, Intake, type Supply } from './intake.js'
import type { ConsumeSettings } from './options.js'
import { type Parcel, Settlement } from './parcel.js'
import type { ReceivedBundle, ReceivedClassic } from './received.js'

export type { ConsumerUser } from './intake.js'

/** Where messages come from, and who wants to know when the loop is over. */
export interface Source extends Supply {
  /** The loop has begun. */
  begin(): Promise<void>
  /** The loop is over, however it ended. */
  end(): Promise<void>
}

/** From messages to bundles in the hands of a loop, and back: what is done with is acknowledged. */
export class Consumer {
  readonly #settings: ConsumeSettings
  readonly #user: ConsumerUser
  readonly #intake: Intake
  readonly #dedup: Dedup | undefined
  readonly #inHand = new Tally()
  #stopped = false

  constructor(settings: ConsumeSettings, user: ConsumerUser) {
    this.#settings = settings
    this.#user = user
    this.#intake = new Intake(settings, user)
    this.#dedup = settings.dedup && new Dedup(settings.dedup)
  }

  get passedOver(): number {
    return this.#intake.passedOver
  }

  /** Gives nothing more; resolves when nothing that was given is in hand. */
  stop(): Promise<void> {
    this.#stopped = true
    this.#intake.stop()
    return this.#inHand.none()
  }

  /**
   * Gives the bundles of a source one by one. (By one generator: each that they are handed through takes a tenth of what
   * a bundle of a batch takes to verify.)
   *
   * @throws what is wrong with us, not with a message: `CORE_FAILED`, and what the source and the dead letters' stream throw
   */
  async *give(source: Source): AsyncGenerator<ReceivedBundle | ReceivedClassic, void> {
    const dedup = this.#dedup
    const lookUp = dedup && ((ids: readonly string[]) => dedup.lookUp(ids))
    try {
      await source.begin()
      for (
        let next = await this.#intake.next(source, lookUp);
        next;
        next = await this.#intake.next(source, lookUp)
      ) {
        for (const [index, content] of next.left) {
          if (this.#intake.isTurn) await this.#intake.turn()
          const { arrival, parcel } = next
          if (dedup && (await dedup.isCopy(content.id, (done) => parcel.settle(index, done)))) continue
          if (this.#stopped) return
          const given = this.#hand({ arrival, parcel, index, content })
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

  /** Gives them in groups. Throws as {@link give} does. */
  async *giveGroups(source: Source & GroupSupply, settings: GroupSettings): AsyncGenerator<HeldGroup, void> {
    const gathering = new Gathering(this.#intake, source, settings)
    try {
      await source.begin()
      for (let found = await gathering.next(); found; found = await gathering.next()) {
        const left = this.#dedup ? await this.#withoutCopies(found, this.#dedup) : found
        if (this.#stopped) return
        if (left.length === 0) continue
        const group = this.#handGroup(left)
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

  /** The loop is over: what it has in hand is nobody's. */
  #abandon(): void {
    this.#stopped = true
    this.#inHand.end(this.#inHand.count)
    this.#intake.clear()
  }

  async #withoutCopies(found: readonly Candidate[], dedup: Dedup): Promise<Candidate[]> {
    const ids = found.map(({ content }) => content.id)
    // As many as the loop has asked for, in one statement.
    await dedup.lookUp(ids, ids.length)
    const left: Candidate[] = []
    for (const one of found) {
      const { parcel, index, content } = one
      if (!(await dedup.isCopy(content.id, (done) => parcel.settle(index, done)))) left.push(one)
    }
    return left
  }

  #hand({ arrival, parcel, index, content }: Candidate): Given {
    say(arrival, content)
    this.#inHand.begin()
    const settlement = new Settlement((done) => this.#settle(content, done, parcel, index))
    return received(settlement, content, arrival, index)
  }

  #handGroup(candidates: readonly Candidate[]): HeldGroup {
    const members = candidates.map((one) => ({
      given: this.#hand(one),
      settle: (done: boolean) => this.#settled(one.parcel, one.index, done),
    }))
    return new HeldGroup(members, (ids, done) => this.#mark(ids, done))
  }

  #settle({ id }: Content, done: boolean, parcel: Parcel, index: number): Promise<void> | undefined {
    const marking = this.#mark([id], done)
    if (marking) return marking.then(() => this.#settled(parcel, index, done))
    this.#settled(parcel, index, done)
    return undefined
  }

  #mark(ids: readonly string[], done: boolean): Promise<void> | undefined {
    return this.#dedup?.settled(ids, done).catch((err) => this.#notSettled(err))
  }

  #notSettled(err: unknown): never {
    this.#user.logger.error({ err }, 'a bundle was not acknowledged, and will be redelivered')
    throw err
  }

  #settled(parcel: Parcel, index: number, done: boolean): void {
    parcel.settle(index, done)
    if (this.#inHand.count > 0) this.#inHand.end()
  }
}
