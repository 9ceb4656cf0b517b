import { TOO_LATE, within } from '../../foundation/base/time/timeout.js'
import type { ReceivedMessage } from '../../transport/streams/mqtt/inbox.js'
import type { GroupSettings } from './group.js'
import type { Deliverable, Intake, MessageSource } from './intake.js'

export interface GroupSource extends MessageSource {
  /** True if no further message can arrive until one is settled. */
  readonly isFull: boolean
}

/** Gathers bundles until there are `max`, the first one has waited for `maxMs`, or no more can arrive. */
export class GroupBuilder {
  readonly #intake: Intake
  readonly #source: GroupSource
  readonly #settings: GroupSettings
  #left: Iterator<Deliverable> = [].values()
  /** Pending call of `take`, for which an earlier group no longer waited. */
  #taking: Promise<readonly ReceivedMessage[]> | undefined
  /** Error that `next()` throws after delivering the group that was being gathered. */
  #failure: { readonly error: unknown } | undefined

  constructor(intake: Intake, source: GroupSource, settings: GroupSettings) {
    this.#intake = intake
    this.#source = source
    this.#settings = settings
  }

  /**
   * Returns the contents of the next group, which may be empty, or undefined if the source has ended.
   *
   * @throws errors that no message causes, after all earlier bundles have been delivered
   */
  async next(): Promise<Deliverable[] | undefined> {
    if (this.#failure) throw this.#failure.error
    const found: Deliverable[] = []
    this.#fill(found)
    const source = this.#untilDue(found)
    while (this.#hasRoom(found)) {
      const opened = await this.#open(source, found)
      if (!opened) break
      this.#left = opened.values()
      this.#fill(found)
    }
    return found.length > 0 ? found.filter(isHere) : undefined
  }

  #hasRoom(found: readonly Deliverable[]): boolean {
    return found.length < this.#settings.max
  }

  #fill(found: Deliverable[]): void {
    while (this.#hasRoom(found)) {
      const { value, done } = this.#left.next()
      if (done) return
      found.push(value)
    }
  }

  async #open(
    source: MessageSource,
    found: readonly Deliverable[],
  ): Promise<readonly Deliverable[] | undefined> {
    try {
      return await this.#intake.next(source)
    } catch (error) {
      if (found.length === 0) throw error
      this.#failure = { error }
      return undefined
    }
  }

  #untilDue(found: readonly Deliverable[]): MessageSource {
    let until = Number.POSITIVE_INFINITY
    const leftMs = () => {
      if (found.length > 0 && until === Number.POSITIVE_INFINITY) {
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

  async #take(leftMs: number): Promise<readonly ReceivedMessage[]> {
    this.#taking ??= this.#intake.take(this.#source)
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
function isHere({ message }: Deliverable): boolean {
  return !message.arrival.withdrawn
}
