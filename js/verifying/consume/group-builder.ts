import { TOO_LATE, within } from '../../foundation/base/time/timeout.js'
import type { Arrival } from '../../transport/streams/mqtt/inbox.js'
import type { GroupSettings } from './group.js'
import type { Intake, IntakeItem, MessageSource } from './intake.js'
import type { Content, OpenedMessage } from './settlement.js'

/** A bundle that can be delivered. */
export interface Candidate {
  readonly message: OpenedMessage
  readonly index: number
  readonly content: Content
}

/** Contents of the next group. */
export interface GroupContents {
  readonly candidates: readonly Candidate[]
  readonly controls: readonly ControlCandidate[]
}

/** A verified lease or checkpoint that can be delivered. */
export interface ControlCandidate {
  readonly message: OpenedMessage
  readonly verified: object
}

/** Source of messages for groups. */
export interface GroupSource extends MessageSource {
  /** True if no further message arrives until one is settled. */
  readonly isFull: boolean
}

/** Gathers bundles until there are `max`, the first one has waited for `maxMs`, or no more can arrive. */
export class GroupBuilder {
  readonly #intake: Intake
  readonly #source: GroupSource
  readonly #settings: GroupSettings
  /** Bundles of the current message that are not gathered yet. */
  #left: Iterator<Candidate> = [].values()
  /** Pending take of an earlier group, which did not wait for its result. */
  #taking: Promise<readonly Arrival[]> | undefined
  /** Error that occurred while a group was waiting to be delivered. */
  #failure: { readonly error: unknown } | undefined

  constructor(intake: Intake, supply: GroupSource, settings: GroupSettings) {
    this.#intake = intake
    this.#source = supply
    this.#settings = settings
  }

  /**
   * Returns the contents of the next group, which may be empty; undefined if the source has ended.
   *
   * @throws errors of the source, and failures that are not about a message, once all earlier bundles have been
   * delivered
   */
  async next(): Promise<GroupContents | undefined> {
    if (this.#failure) throw this.#failure.error
    const found: Candidate[] = []
    const beside: ControlCandidate[] = []
    const count = () => found.length + beside.length
    this.#fill(found)
    const patience = this.#untilDue(count)
    while (count() < this.#settings.max) {
      const opened = await this.#open(patience, count)
      if (!opened) break
      if (opened.control) beside.push({ message: opened.message, verified: opened.control })
      this.#left = candidatesOf(opened)
      this.#fill(found)
    }
    if (count() === 0) return undefined
    return { candidates: found.filter(isHere), controls: beside.filter(isHere) }
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
   * Returns the source, which is over once the first gathered bundle has waited for `maxMs`.
   *
   * @param count - number of gathered bundles, leases and checkpoints
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

  /** Takes the messages that arrive in time. Later ones are for the next group. */
  async #take(leftMs: number): Promise<readonly Arrival[]> {
    this.#taking ??= this.#source.take()
    const isPatient = leftMs === Number.POSITIVE_INFINITY
    // Do not wait if the window is full: nothing else can arrive.
    const waitMs = this.#source.isFull ? 0 : leftMs
    const came = isPatient ? await this.#taking : await within(this.#taking, waitMs)
    if (came === TOO_LATE) return []
    this.#taking = undefined
    return came
  }
}

/** Returns whether a message is not withdrawn: the broker redelivers withdrawn ones on another connection. */
function isHere({ message }: Pick<Candidate, 'message'>): boolean {
  return !message.arrival.withdrawn
}

function* candidatesOf({ message, left }: IntakeItem): Generator<Candidate, void> {
  for (const [index, content] of left) yield { message, index, content }
}
