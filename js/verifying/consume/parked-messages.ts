import type { ReceivedMessage } from '../../transport/streams/mqtt/inbox.js'

/** Maximum number of messages that wait for a lease. The limit is low, because anyone can send messages. */
const MAX_MESSAGES = 1000
const MAX_BYTES = 8 * 1024 * 1024
const MAX_OF_SIGNER = 64
const MAX_WAIT_MS = 10_000
/** Minimum number of unacknowledged messages that all common brokers send. RabbitMQ sends 10. */
const MIN_WINDOW = 10

/** Window of messages that a broker sends before it waits for an acknowledgement. */
export interface BrokerWindow {
  readonly prefetch: number
  /** Largest number of unacknowledged messages on this connection so far. */
  readonly maxObserved: number
}

/**
 * Messages of unknown signers that wait for a lease, in the order of their receipt. If too many messages wait, or
 * too many bytes, {@link due} returns the oldest one. If more than 64 of one signer wait, it returns the oldest of
 * that signer.
 */
export class ParkedMessages {
  readonly #window: () => BrokerWindow
  /** Signer of each waiting message. */
  readonly #waiting = new Map<ReceivedMessage, string>()
  readonly #ofSigners = new Map<string, Set<ReceivedMessage>>()
  /** Messages whose wait has ended, at the deadline or because of a limit. They do not wait again. */
  readonly #over = new WeakSet<ReceivedMessage>()
  /** Deadline of each message by `performance.now()`. A message that waits again keeps its deadline. */
  readonly #until = new WeakMap<ReceivedMessage, number>()
  /** Messages whose wait has ended, and that {@link due} has not returned yet. */
  #due: ReceivedMessage[] = []
  #bytes = 0

  constructor(window: () => BrokerWindow) {
    this.#window = window
  }

  add(arrival: ReceivedMessage, signer: string): boolean {
    if (!this.canPark(arrival)) return false
    arrival.setAside()
    const ofSigner = this.#ofSigners.get(signer) ?? new Set()
    this.#ofSigners.set(signer, ofSigner.add(arrival))
    this.#until.set(arrival, this.#until.get(arrival) ?? performance.now() + MAX_WAIT_MS)
    this.#waiting.set(arrival, signer)
    this.#bytes += arrival.message.length
    if (ofSigner.size > MAX_OF_SIGNER) this.#end(ofSigner)
    while (this.#waiting.size > this.#capacity || this.#bytes > MAX_BYTES) this.#end(this.#waiting.keys())
    return true
  }

  /**
   * Returns whether a message may wait. It may not if it exceeds `MAX_BYTES`, if it has already waited to the
   * end once, or if `prefetch` is 1.
   */
  canPark(arrival: ReceivedMessage): boolean {
    return !this.#over.has(arrival) && arrival.message.length <= MAX_BYTES && this.#capacity > 0
  }

  release(signer: string): ReceivedMessage[] {
    const released = [...(this.#ofSigners.get(signer) ?? [])]
    for (const arrival of released) this.#take(arrival)
    return released.filter(({ withdrawn }) => !withdrawn)
  }

  due(): ReceivedMessage[] {
    const now = performance.now()
    for (const arrival of [...this.#waiting.keys()]) if (this.#untilOf(arrival) <= now) this.#end([arrival])
    const due = this.#due.filter(({ withdrawn }) => !withdrawn)
    this.#due = []
    return due
  }

  /** Milliseconds until the next wait ends; undefined if no message waits. */
  get leftMs(): number | undefined {
    if (this.#due.length > 0) return 0
    if (this.#waiting.size === 0) return undefined
    let first = Number.POSITIVE_INFINITY
    for (const arrival of this.#waiting.keys()) first = Math.min(first, this.#untilOf(arrival))
    return Math.max(first - performance.now(), 0)
  }

  #untilOf(arrival: ReceivedMessage): number {
    return this.#until.get(arrival) as number
  }

  /**
   * Maximum number of waiting messages: half of the messages that the broker sends before an acknowledgement.
   * The other half stays free for other messages.
   */
  get #capacity(): number {
    const { prefetch, maxObserved } = this.#window()
    return Math.min(MAX_MESSAGES, Math.floor(Math.min(prefetch, Math.max(maxObserved, MIN_WINDOW)) / 2))
  }

  #end(arrivals: Iterable<ReceivedMessage>): void {
    for (const arrival of arrivals) {
      this.#take(arrival)
      this.#over.add(arrival)
      this.#due.push(arrival)
      return
    }
  }

  #take(arrival: ReceivedMessage): void {
    const signer = this.#waiting.get(arrival) as string
    this.#waiting.delete(arrival)
    this.#bytes -= arrival.message.length
    const ofSigner = this.#ofSigners.get(signer)
    ofSigner?.delete(arrival)
    if (ofSigner?.size === 0) this.#ofSigners.delete(signer)
  }
}
