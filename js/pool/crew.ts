import { AlvariumError, textOf } from '../base/errors.js'
import type { Call } from '../model/call.js'
import { bytesOf } from '../model/call.js'
import type { PoolLimits } from '../model/worker-pool.js'
import type { WorkerFrom } from '../platform/workers.js'
import { type Context, died, type Group } from './group.js'
import { Lane, type LaneEvents } from './lane.js'
import { Queue } from './queue.js'
import type { Outcome } from './results.js'

/** After so many workers in a row that did not start, no other is tried. */
const MOST_FAILED_STARTS = 3

/** The workers of a pool: gives calls out to them, and replaces those that die. */
export class Crew {
  readonly #from: WorkerFrom
  readonly #queue: Queue
  readonly #lanes = new Set<Lane>()
  /** Workers in a row that died before they had started. */
  #failedStarts = 0
  #lastDeath: unknown
  #isDispatching = false
  #isClosing = false

  constructor(from: WorkerFrom, limits: PoolLimits) {
    this.#from = from
    this.#queue = new Queue(limits)
  }

  /** Starts workers; resolves when all of them can take calls. When one does not start, `abandon` ends the others. */
  async start(workers: number): Promise<void> {
    for (let count = 0; count < workers; count++) this.#lanes.add(new Lane(this.#from, this.#events))
    await Promise.all([...this.#lanes].map(({ ready }) => ready))
  }

  /** Ends the workers that have started, and those that have not. */
  abandon(): void {
    this.#failedStarts = MOST_FAILED_STARTS
    for (const lane of this.#lanes) lane.abandon()
  }

  /** Has a worker run a call. */
  submit(context: Context, call: Call): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      this.#queue.add(context, call, { resolve, reject, bytes: bytesOf(call) }, this.#idle || 1)
      this.#dispatchSoon()
    })
  }

  /** The workers forget the context, and wipe its key. */
  free(context: Context): void {
    context.isFreed = true
    for (const lane of this.#lanes) lane.free(context)
  }

  /** Waits for the calls under way, and ends the workers. */
  async close(): Promise<void> {
    await this.#queue.empty()
    this.#isClosing = true
    await Promise.all([...this.#lanes].map((lane) => lane.stop()))
  }

  /** When the code that is running now has made all its calls. */
  #dispatchSoon(): void {
    if (this.#isDispatching) return
    this.#isDispatching = true
    queueMicrotask(() => {
      this.#isDispatching = false
      this.#dispatch()
    })
  }

  /**
   * Gives out groups, each to the worker with the fewest before it; what finds no room waits. Groups that are not full
   * go to idle workers only: before the others they would wait, where they can take more calls.
   */
  #dispatch(): void {
    if (this.#lanes.size === 0) this.#giveUp()
    for (let lane = this.#freest(); lane; lane = this.#freest()) {
      const group = lane.load === 0 ? this.#queue.take() : this.#queue.takeFull()
      if (!group) return
      if (group.context.isFreed) group.reject(givenUp())
      else lane.give(group)
    }
  }

  #freest(): Lane | undefined {
    let freest: Lane | undefined
    for (const lane of this.#lanes) {
      if (lane.hasRoom && (!freest || lane.load < freest.load)) freest = lane
    }
    return freest
  }

  get #idle(): number {
    let idle = 0
    for (const { load } of this.#lanes) if (load === 0) idle++
    return idle
  }

  readonly #events: LaneEvents = {
    started: () => {
      this.#failedStarts = 0
    },
    settled: () => this.#dispatchSoon(),
    ended: (lane, groups, reason) => this.#ended(lane, groups, reason),
  }

  #ended(lane: Lane, groups: readonly Group[], reason: unknown): void {
    this.#lanes.delete(lane)
    this.#lastDeath = reason
    if (!lane.hasStarted) this.#failedStarts++
    // One that never started has looked at no call.
    const died = lane.hasStarted ? groups.slice(0, 1) : []
    const others = groups.slice(died.length)
    const again = died.flatMap((group) => this.#afterDeath(group, reason))
    this.#queue.putBack([...again, ...others.flatMap((group) => group.remaining(reason))])
    if (this.#failedStarts < MOST_FAILED_STARTS && !this.#isClosing) this.#replace()
    this.#dispatch()
  }

  #afterDeath(group: Group, reason: unknown): readonly Group[] {
    if (!group.isRetry) return group.retries(reason)
    group.reject(died(`${textOf(reason)}, for the second time`, reason))
    return []
  }

  #replace(): void {
    try {
      this.#lanes.add(new Lane(this.#from, this.#events))
    } catch (error) {
      this.#failedStarts++
      this.#lastDeath = error
    }
  }

  /** Calls that wait for a worker would wait for ever. */
  #giveUp(): void {
    const reason = this.#lastDeath
    for (let group = this.#queue.take(); group; group = this.#queue.take()) {
      group.reject(died(`${textOf(reason)}, and no other worker could be started`, reason))
    }
  }
}

function givenUp(): AlvariumError {
  return new AlvariumError('STREAM_CLOSED', 'pool: expected the SDK to be open, got closed before its turn')
}
