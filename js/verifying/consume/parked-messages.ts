import type { Arrival } from '../../transport/streams/mqtt/inbox.js'

/**
 * Maximum number of messages that wait for a lease of their key, or for one that states their log. The limits are low,
 * because anyone can send messages that name any key.
 */
const MAX_MESSAGES = 1000
const MAX_BYTES = 8 * 1024 * 1024
const MAX_OF_SIGNER = 64
const MAX_WAIT_MS = 10_000
/** Minimum number of messages that brokers in use send before an acknowledgement: RabbitMQ sends 10. */
const MIN_WINDOW = 10

/** Window of unacknowledged messages. */
export interface BrokerWindow {
  /** Number of messages that the subscription asked for. */
  readonly prefetch: number
  /** Number of messages that the broker is known to send. */
  readonly reached: number
}

interface ParkedFor {
  readonly signer: string
  readonly until: number
}

/**
 * Messages of unknown signers, in the order of their receipt. If there is no capacity, the oldest message is due: of
 * its own signer, if that has too many.
 */
export class ParkedMessages {
  readonly #window: () => BrokerWindow
  readonly #waiting = new Map<Arrival, ParkedFor>()
  readonly #ofSigners = new Map<string, Set<Arrival>>()
  /** Messages whose wait has ended, by its deadline or for lack of capacity: they do not wait again. */
  readonly #over = new WeakSet<Arrival>()
  /** Deadline of each message that waits or was released. It stays the same if the message waits again. */
  readonly #until = new WeakMap<Arrival, number>()
  /** Messages that are due and not taken yet. */
  #due: Arrival[] = []
  #bytes = 0

  constructor(window: () => BrokerWindow) {
    this.#window = window
  }

  /** Adds a message. Returns false if it cannot wait. */
  add(arrival: Arrival, signer: string): boolean {
    if (!this.canPark(arrival)) return false
    arrival.setAside()
    const ofSigner = this.#ofSigners.get(signer) ?? new Set()
    this.#ofSigners.set(signer, ofSigner.add(arrival))
    const until = this.#until.get(arrival) ?? performance.now() + MAX_WAIT_MS
    this.#until.set(arrival, until)
    this.#waiting.set(arrival, { signer, until })
    this.#bytes += arrival.message.length
    if (ofSigner.size > MAX_OF_SIGNER) this.#end(ofSigner)
    while (this.#waiting.size > this.#capacity || this.#bytes > MAX_BYTES) this.#end(this.#waiting.keys())
    return true
  }

  /** Returns whether a message may wait: its wait has not ended, and it fits. */
  canPark(arrival: Arrival): boolean {
    return !this.#over.has(arrival) && arrival.message.length <= MAX_BYTES && this.#capacity > 0
  }

  /** Removes and returns the messages of a signer who is known now. */
  release(signer: string): Arrival[] {
    const released = [...(this.#ofSigners.get(signer) ?? [])]
    for (const arrival of released) this.#take(arrival)
    return released.filter(({ withdrawn }) => !withdrawn)
  }

  /** Returns the messages that became due since the last call, by time or for lack of capacity. */
  due(): Arrival[] {
    const now = performance.now()
    for (const [arrival, { until }] of [...this.#waiting]) if (until <= now) this.#end([arrival])
    const due = this.#due.filter(({ withdrawn }) => !withdrawn)
    this.#due = []
    return due
  }

  /** Milliseconds until the next message is due; undefined if none waits. */
  get leftMs(): number | undefined {
    if (this.#due.length > 0) return 0
    if (this.#waiting.size === 0) return undefined
    let first = Number.POSITIVE_INFINITY
    for (const { until } of this.#waiting.values()) first = Math.min(first, until)
    return Math.max(first - performance.now(), 0)
  }

  /**
   * Capacity: half of the messages that the broker sends before an acknowledgement. The other half is for
   * other messages.
   */
  get #capacity(): number {
    const { prefetch, reached } = this.#window()
    return Math.min(MAX_MESSAGES, Math.floor(Math.min(prefetch, Math.max(reached, MIN_WINDOW)) / 2))
  }

  /** Ends the wait of the first of some messages. */
  #end(arrivals: Iterable<Arrival>): void {
    for (const arrival of arrivals) {
      this.#take(arrival)
      this.#over.add(arrival)
      this.#due.push(arrival)
      return
    }
  }

  #take(arrival: Arrival): void {
    const { signer } = this.#waiting.get(arrival) as ParkedFor
    this.#waiting.delete(arrival)
    this.#bytes -= arrival.message.length
    const ofSigner = this.#ofSigners.get(signer)
    ofSigner?.delete(arrival)
    if (ofSigner?.size === 0) this.#ofSigners.delete(signer)
  }
}
