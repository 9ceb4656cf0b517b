import type { Arrival } from '../streams/mqtt/inbox.js'

/** Bundles may come before the lease of their key, or too late and before the lease that states their log. Anybody can say that theirs do: so few wait, and not for long. */
const MOST = 1000
const MOST_BYTES = 8 * 1024 * 1024
const MOST_OF_ONE = 64
const LONGEST_MS = 10_000
/** Brokers in use send at least so many messages before one is acknowledged, as they come: RabbitMQ sends 10. */
const LEAST_WINDOW = 10

/** How much room there is for messages that are not acknowledged. */
export interface Window {
  /** As many as were asked for. */
  readonly prefetch: number
  /** As many as the broker is known to send. */
  readonly reached: number
}

interface WaitingSigner {
  readonly signer: string
  readonly until: number
}

/**
 * Messages whose signers are not known yet, in the order in which they came. Where there is no room, the oldest gives way: of its own
 * signer, if that has too many.
 */
export class WaitingRoom {
  readonly #window: () => Window
  readonly #waiting = new Map<Arrival, WaitingSigner>()
  readonly #ofSigners = new Map<string, Set<Arrival>>()
  /** Those that have waited: not once more. */
  readonly #over = new WeakSet<Arrival>()
  /** Until when each may wait that has waited: however often it does. */
  readonly #until = new WeakMap<Arrival, number>()
  /** Of those, the ones that nobody has taken. */
  #due: Arrival[] = []
  #bytes = 0

  constructor(window: () => Window) {
    this.#window = window
  }

  /** Whether it waits from now on; if not, it cannot. */
  add(arrival: Arrival, signer: string): boolean {
    if (!this.mayWait(arrival)) return false
    arrival.setAside()
    const ofSigner = this.#ofSigners.get(signer) ?? new Set()
    this.#ofSigners.set(signer, ofSigner.add(arrival))
    const until = this.#until.get(arrival) ?? performance.now() + LONGEST_MS
    this.#until.set(arrival, until)
    this.#waiting.set(arrival, { signer, until })
    this.#bytes += arrival.message.length
    if (ofSigner.size > MOST_OF_ONE) this.#end(ofSigner)
    while (this.#waiting.size > this.#most || this.#bytes > MOST_BYTES) this.#end(this.#waiting.keys())
    return true
  }

  /** Whether there can be room for it. */
  mayWait(arrival: Arrival): boolean {
    return !this.#over.has(arrival) && arrival.message.length <= MOST_BYTES && this.#most > 0
  }

  /** Those of a signer, who is known now. */
  release(signer: string): Arrival[] {
    const released = [...(this.#ofSigners.get(signer) ?? [])]
    for (const arrival of released) this.#take(arrival)
    return released.filter(({ withdrawn }) => !withdrawn)
  }

  /** Those that have waited for long enough, or gave way, since this was last asked. */
  due(): Arrival[] {
    const now = performance.now()
    for (const [arrival, { until }] of [...this.#waiting]) if (until <= now) this.#end([arrival])
    const due = this.#due.filter(({ withdrawn }) => !withdrawn)
    this.#due = []
    return due
  }

  /** Milliseconds until one is due; none if nothing waits. */
  get leftMs(): number | undefined {
    if (this.#due.length > 0) return 0
    if (this.#waiting.size === 0) return undefined
    let first = Number.POSITIVE_INFINITY
    for (const { until } of this.#waiting.values()) first = Math.min(first, until)
    return Math.max(first - performance.now(), 0)
  }

  /** Half of what the broker sends before one is acknowledged: the others have the other half. */
  get #most(): number {
    const { prefetch, reached } = this.#window()
    return Math.min(MOST, Math.floor(Math.min(prefetch, Math.max(reached, LEAST_WINDOW)) / 2))
  }

  /** The first of these has waited. */
  #end(arrivals: Iterable<Arrival>): void {
    for (const arrival of arrivals) {
      this.#take(arrival)
      this.#over.add(arrival)
      this.#due.push(arrival)
      return
    }
  }

  #take(arrival: Arrival): void {
    const { signer } = this.#waiting.get(arrival) as WaitingSigner
    this.#waiting.delete(arrival)
    this.#bytes -= arrival.message.length
    const ofSigner = this.#ofSigners.get(signer)
    ofSigner?.delete(arrival)
    if (ofSigner?.size === 0) this.#ofSigners.delete(signer)
  }
}
