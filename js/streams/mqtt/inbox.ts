import { nextTurn } from '#platform'
import { Tally } from '../../base/tally.js'

/** A message that has come, and has not been done with. */
export interface Arrival {
  readonly topic: string
  readonly message: Uint8Array
  /** Whether the broker had kept it for whoever subscribes. */
  readonly retain: boolean
  /** Whether it may have been handed over before: the broker says so, or `nack()` gave it back. */
  readonly dup: boolean
  /** Whether the broker is going to send it again, on the connection after the one that brought it. */
  readonly withdrawn: boolean
  /** It is done with: the broker may forget it. */
  ack(): void
  /** It could not be done: it comes again, after those that wait. */
  nack(): void
}

/** A message as the connection brings it. */
export interface Incoming {
  readonly topic: string
  readonly message: Uint8Array
  readonly retain: boolean
  readonly dup: boolean
  /** Tells the broker; nothing for QoS 0. */
  readonly acknowledge?: (() => void) | undefined
}

/** More in hand would only be memory. One message may be longer. */
const MOST_BYTES = 4 * 1024 * 1024

/**
 * Holds what has come until it is done with, and never more than was asked for: the connection brings the next message
 * only when there is room.
 */
export class Inbox {
  readonly #most: number
  /** Not done with: waiting, or in the hands of the consumer. */
  readonly #held = new Set<Held>()
  readonly #tally = new Tally()
  #bytes = 0
  #waiting: Held[] = []
  #readOn: (() => void) | undefined
  #tell: (() => void) | undefined
  #ended = false

  constructor(most: number) {
    this.#most = most
  }

  /** Resolves when nothing is waiting, and nothing in the consumer's hands. */
  emptied(): Promise<void> {
    return this.#tally.none()
  }

  /** Whether nothing more is read until something is done with. */
  get full(): boolean {
    return this.#held.size >= this.#most || this.#bytes >= MOST_BYTES
  }

  /** @param readOn - called when there is room for the next one, at once if there is */
  put(incoming: Incoming, readOn: () => void): void {
    if (this.#ended) {
      readOn()
      return
    }
    const held = new Held(incoming, this)
    this.#held.add(held)
    this.#tally.begin()
    this.#bytes += incoming.message.length
    this.#readOn = readOn
    this.#offer(held)
    this.#makeRoom()
  }

  /** All that waits, at least one; none when it has ended. For one caller at a time. */
  async take(): Promise<Arrival[]> {
    while (this.#waiting.length === 0 && !this.#ended) {
      await new Promise<void>((resolve) => {
        this.#tell = resolve
      })
      // What came in one piece is brought message by message: without a turn, each would be taken alone.
      if (!this.full) await nextTurn()
    }
    return this.#waiting.splice(0)
  }

  /** The broker goes on where the last connection ended: what it was not told to forget comes again. */
  withdraw(): void {
    for (const held of this.#held) if (held.isOwed) this.#drop(held)
    this.#waiting = this.#waiting.filter(({ withdrawn }) => !withdrawn)
  }

  /** What waits, and what still comes, goes back to the broker; what is in the consumer's hands can still be acknowledged. */
  end(): void {
    this.#ended = true
    this.#waiting.length = 0
    this.#tell?.()
    this.#readOn?.()
  }

  /** @internal of {@link Held} */
  done(held: Held): void {
    if (!this.#held.delete(held)) return
    this.#tally.end()
    this.#bytes -= held.message.length
    this.#makeRoom()
  }

  /** @internal of {@link Held} */
  again(held: Held): void {
    if (this.#held.has(held) && !this.#ended) this.#offer(held)
  }

  #offer(held: Held): void {
    this.#waiting.push(held)
    this.#tell?.()
    this.#tell = undefined
  }

  #drop(held: Held): void {
    held.withdrawn = true
    this.done(held)
  }

  #makeRoom(): void {
    if (this.full) return
    const readOn = this.#readOn
    this.#readOn = undefined
    readOn?.()
  }
}

class Held implements Arrival {
  readonly topic: string
  readonly message: Uint8Array
  readonly retain: boolean
  dup: boolean
  withdrawn = false
  readonly #inbox: Inbox
  readonly #acknowledge: Incoming['acknowledge']

  constructor({ topic, message, retain, dup, acknowledge }: Incoming, inbox: Inbox) {
    this.topic = topic
    this.message = message
    this.retain = retain
    this.dup = dup
    this.#acknowledge = acknowledge
    this.#inbox = inbox
  }

  /** Whether the broker waits for our word. */
  get isOwed(): boolean {
    return this.#acknowledge !== undefined
  }

  ack(): void {
    // What comes again, under the same packet id, is another message to the broker.
    if (!this.withdrawn) this.#acknowledge?.()
    this.#inbox.done(this)
  }

  nack(): void {
    this.dup = true
    this.#inbox.again(this)
  }
}
