import { TOO_LATE, within } from '../base/time/timeout.js'
import type { Arrival } from '../streams/mqtt/inbox.js'
import type { GroupSettings } from './group.js'
import type { Intake, OpenedMail, Supply } from './intake.js'
import type { Content, OpenedMessage } from './settlement.js'

/** A bundle that can be delivered. */
export interface Candidate {
  readonly message: OpenedMessage
  readonly index: number
  readonly content: Content
}

/** What there is for a group. */
export interface Gathered {
  readonly found: readonly Candidate[]
  readonly beside: readonly BesideCandidate[]
}

/** A lease or a checkpoint that can be delivered. */
export interface BesideCandidate {
  readonly message: OpenedMessage
  readonly verified: object
}

/** Where the messages of groups come from. */
export interface GroupSupply extends Supply {
  /** Whether nothing more comes until something is settled. */
  readonly isFull: boolean
}

/** Gathers bundles until there are `max`, or the first of them has waited for `maxMs`, or nothing more can come. */
export class Gathering {
  readonly #intake: Intake
  readonly #supply: GroupSupply
  readonly #settings: GroupSettings
  /** Of the message that is being delivered. */
  #left: Iterator<Candidate> = [].values()
  /** Asked of the source by an earlier group, which did not wait for the answer. */
  #taking: Promise<readonly Arrival[]> | undefined
  /** What went wrong when there was a group to deliver first. */
  #failure: { readonly error: unknown } | undefined

  constructor(intake: Intake, supply: GroupSupply, settings: GroupSettings) {
    this.#intake = intake
    this.#supply = supply
    this.#settings = settings
  }

  /**
   * What is in the next group, which may be nothing; nothing at all if the source has ended.
   *
   * @throws what the source throws, and failures of ours, once all that came before has been delivered
   */
  async next(): Promise<Gathered | undefined> {
    if (this.#failure) throw this.#failure.error
    const found: Candidate[] = []
    const beside: BesideCandidate[] = []
    const count = () => found.length + beside.length
    this.#fill(found)
    const patience = this.#patience(count)
    while (count() < this.#settings.max) {
      const opened = await this.#open(patience, count)
      if (!opened) break
      if (opened.beside) beside.push({ message: opened.message, verified: opened.beside })
      this.#left = candidatesOf(opened)
      this.#fill(found)
    }
    if (count() === 0) return undefined
    return { found: found.filter(isHere), beside: beside.filter(isHere) }
  }

  #fill(found: Candidate[]): void {
    while (found.length < this.#settings.max) {
      const { value, done } = this.#left.next()
      if (done) return
      found.push(value)
    }
  }

  async #open(patience: Supply, count: () => number): Promise<OpenedMail | undefined> {
    try {
      return await this.#intake.next(patience)
    } catch (error) {
      if (count() === 0) throw error
      this.#failure = { error }
      return undefined
    }
  }

  /** The source, as long as what has been found may wait. @param count - how much that is */
  #patience(count: () => number): Supply {
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

  /** What comes within so many milliseconds. What comes later is for the next group. */
  async #take(leftMs: number): Promise<readonly Arrival[]> {
    this.#taking ??= this.#supply.take()
    const isPatient = leftMs === Number.POSITIVE_INFINITY
    // If all that may be here is in this group and those before, nothing else can come.
    const waitMs = this.#supply.isFull ? 0 : leftMs
    const came = isPatient ? await this.#taking : await within(this.#taking, waitMs)
    if (came === TOO_LATE) return []
    this.#taking = undefined
    return came
  }
}

/** The broker redelivers others on another connection. */
function isHere({ message }: Pick<Candidate, 'message'>): boolean {
  return !message.arrival.withdrawn
}

function* candidatesOf({ message, left }: OpenedMail): Generator<Candidate, void> {
  for (const [index, content] of left) yield { message, index, content }
}
