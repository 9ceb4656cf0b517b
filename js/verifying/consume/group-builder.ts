import { TOO_LATE, within } from '../../foundation/base/time/timeout.js'
import type { ReceivedMessage } from '../../transport/streams/mqtt/inbox.js'
import type { GroupSettings } from './group.js'
import type { Intake, IntakeItem, MessageSource } from './intake.js'
import type { Content, OpenedMessage } from './settlement.js'

/** Verified bundle that is ready for delivery. */
export interface Candidate {
  readonly message: OpenedMessage
  readonly index: number
  readonly content: Content
}

export interface GroupContents {
  readonly candidates: readonly Candidate[]
  readonly controls: readonly ControlCandidate[]
}

/** Verified lease or checkpoint that is ready for delivery. */
export interface ControlCandidate {
  readonly message: OpenedMessage
  readonly verified: object
}

/** Source of messages that reports whether the window of unacknowledged messages is full. */
export interface GroupSource extends MessageSource {
  /** True if no further message can arrive until one is settled. */
  readonly isFull: boolean
}

/** Gathers bundles until there are `max`, the first one has waited for `maxMs`, or no more can arrive. */
export class GroupBuilder {
  readonly #intake: Intake
  readonly #source: GroupSource
  readonly #settings: GroupSettings
  /** Bundles of the current message that are not in a group yet. */
  #left: Iterator<Candidate> = [].values()
  /** Pending call of `take` that an earlier group stopped waiting for. */
  #taking: Promise<readonly ReceivedMessage[]> | undefined
  /** Error that `next()` throws after delivering the group that was being gathered. */
  #failure: { readonly error: unknown } | undefined

  constructor(intake: Intake, supply: GroupSource, settings: GroupSettings) {
    this.#intake = intake
    this.#source = supply
    this.#settings = settings
  }

  /**
   * Returns the contents of the next group, which may be empty, or undefined if the source has ended.
   *
   * @throws errors that no message causes, after all earlier bundles have been delivered
   */
  async next(): Promise<GroupContents | undefined> {
    if (this.#failure) throw this.#failure.error
    const found: Candidate[] = []
    const controls: ControlCandidate[] = []
    const count = () => found.length + controls.length
    this.#fill(found)
    const patience = this.#untilDue(count)
    while (count() < this.#settings.max) {
      const opened = await this.#open(patience, count)
      if (!opened) break
      if (opened.control) controls.push({ message: opened.message, verified: opened.control })
      this.#left = candidatesOf(opened)
      this.#fill(found)
    }
    if (count() === 0) return undefined
    return { candidates: found.filter(isHere), controls: controls.filter(isHere) }
  }

  #fill(found: Candidate[]): void {
    while (found.length < this.#settings.max) {
      const { value, done } = this.#left.next()
      if (done) return
      found.push(value)
    }
  }

  async #open(patience: MessageSource, count: () => number): Promise<IntakeItem | undefined> {
    try {
      return await this.#intake.next(patience)
    } catch (error) {
      if (count() === 0) throw error
      this.#failure = { error }
      return undefined
    }
  }

  /**
   * Returns a source that ends once the first bundle of the group has waited for `maxMs`.
   *
   * @param count - returns the number of gathered bundles, leases and checkpoints
   */
  #untilDue(count: () => number): MessageSource {
    let until = Number.POSITIVE_INFINITY
    const leftMs = () => {
      if (count() > 0 && until === Number.POSITIVE_INFINITY) {
        until = performance.now() + this.#settings.maxMs
      }
      return until - performance.now()
    }
    return {
      take: () => this.#take(leftMs()),
      get isOver() {
        return leftMs() <= 0
      },
    }
  }

  /** Returns messages that arrive within this time. Later messages go into the next group. */
  async #take(leftMs: number): Promise<readonly ReceivedMessage[]> {
    this.#taking ??= this.#source.take()
    const isPatient = leftMs === Number.POSITIVE_INFINITY
    // Do not wait if the broker sends no more messages until some are acknowledged.
    const waitMs = this.#source.isFull ? 0 : leftMs
    const arrivals = isPatient ? await this.#taking : await within(this.#taking, waitMs)
    if (arrivals === TOO_LATE) return []
    this.#taking = undefined
    return arrivals
  }
}

/** Returns false for a message that is `withdrawn`, because the broker will redeliver it. */
function isHere({ message }: Pick<Candidate, 'message'>): boolean {
  return !message.arrival.withdrawn
}

function* candidatesOf({ message, left }: IntakeItem): Generator<Candidate, void> {
  for (const [index, content] of left) yield { message, index, content }
}
