import { Notifier } from '../../base/time/notifier.js'
import type { TraceContext } from '../../model/trace-context.js'
import { platform } from '../../platform/platform.js'
import type { Acknowledge } from './acknowledgements.js'

/** A message that has come, and is not settled. */
export interface Arrival {
  readonly topic: string
  readonly message: Uint8Array
  /** Whether the broker had kept it for whoever subscribes. */
  readonly retain: boolean
  /** Whether it may have been handed over before: the broker says so, or `nack()` gave it back. */
  readonly dup: boolean
  /** When it came, in milliseconds since 1970. */
  readonly receivedAt: number
  /** Valid trace context that came with the message. Anyone may have written it. */
  readonly traceContext?: TraceContext | undefined
  /** Whether the broker is going to send it again, on the connection after the one that brought it. */
  readonly withdrawn: boolean
  /** Settles it: the broker may forget it. */
  ack(): void
  /** It could not be processed: it is redelivered, after those that wait. */
  nack(): void
  /** It waits for something else, and is settled later: those behind it are acknowledged before it, and have its bytes. */
  setAside(): void
}

/** A message as the connection brings it. */
export interface Incoming {
  readonly topic: string
  readonly message: Uint8Array
  readonly retain: boolean
  readonly dup: boolean
  readonly traceContext?: TraceContext | undefined
  /** Acknowledges it to the broker; absent for QoS 0. */
  readonly acknowledge?: Acknowledge | undefined
}

/** More unsettled bytes would only take memory. One message may be longer. */
const MOST_BYTES = 4 * 1024 * 1024

/**
 * Holds what has come until it is settled, and never more than was asked for: the connection reads the next message only when
 * there is room. That is the backpressure on the broker.
 */
export class Inbox {
  readonly #most: number
  /** Not settled: they wait, or were delivered. */
  readonly #held = new Set<Unacknowledged>()
  /** Something has come, or is settled. */
  readonly #changed = new Notifier()
  #bytes = 0
  /** How many were not settled at a time, on this connection. */
  #reached = 0
  #waiting: Unacknowledged[] = []
  #readOn: (() => void) | undefined
  #ended = false

  constructor(most: number) {
    this.#most = most
  }

  /** Resolves when all that has come is settled. */
  async emptied(): Promise<void> {
    while (this.#held.size > 0) await this.#changed.next
  }

  /** Whether nothing more is read until something is settled. */
  get full(): boolean {
    return this.#held.size >= this.#most || this.#bytes >= MOST_BYTES
  }

  /** How many messages the broker is known to send before one is acknowledged; it may send more. */
  get reached(): number {
    return this.#reached
  }

  /** Another connection begins, maybe to another broker. */
  begin(): void {
    this.#reached = 0
  }

  /** @param readOn - called when there is room for the next one, at once if there is */
  put(incoming: Incoming, readOn: () => void): void {
    if (this.#ended) {
      readOn()
      return
    }
    const held = new Unacknowledged(incoming, this)
    this.#held.add(held)
    this.#bytes += incoming.message.length
    this.#reached = Math.max(this.#reached, this.#held.size)
    this.#readOn = readOn
    this.#offer(held)
    this.#makeRoom()
  }

  /** All that waits, at least one; none when it has ended. For one caller at a time. */
  async take(): Promise<Arrival[]> {
    while (this.#waiting.length === 0 && !this.#ended) {
      await this.#changed.next
      // What came in one piece is brought message by message: without a turn, each would be taken alone.
      if (!this.full) await platform.nextTurn()
    }
    return this.#waiting.splice(0)
  }

  /** The broker goes on where the last connection ended: it redelivers what was not acknowledged. */
  withdraw(): void {
    for (const held of this.#held) if (held.isOwed) held.withdraw()
    this.#waiting = this.#waiting.filter(({ withdrawn }) => !withdrawn)
  }

  /** The broker has forgotten what it sent: it neither redelivers that nor waits for our word. */
  disown(): void {
    for (const held of this.#held) held.disown()
  }

  /** What waits, and what still comes, goes back to the broker; what was delivered can still be acknowledged. */
  end(): void {
    this.#ended = true
    this.#waiting.length = 0
    this.#changed.tell()
    this.#readOn?.()
  }

  /** @internal of {@link Unacknowledged} */
  done(held: Unacknowledged): void {
    if (!this.#held.delete(held)) return
    if (!held.isAside) this.#bytes -= held.message.length
    this.#changed.tell()
    this.#makeRoom()
  }

  /** @internal of {@link Unacknowledged} */
  aside({ message }: Unacknowledged): void {
    this.#bytes -= message.length
    this.#makeRoom()
  }

  /** @internal of {@link Unacknowledged} */
  again(held: Unacknowledged): void {
    if (this.#held.has(held) && !this.#ended) this.#offer(held)
  }

  #offer(held: Unacknowledged): void {
    this.#waiting.push(held)
    this.#changed.tell()
  }

  #makeRoom(): void {
    if (this.full) return
    const readOn = this.#readOn
    this.#readOn = undefined
    readOn?.()
  }
}

class Unacknowledged implements Arrival {
  readonly topic: string
  readonly message: Uint8Array
  readonly retain: boolean
  dup: boolean
  readonly receivedAt = Date.now()
  readonly traceContext: TraceContext | undefined
  withdrawn = false
  isAside = false
  readonly #inbox: Inbox
  #acknowledge: Incoming['acknowledge']

  constructor({ topic, message, retain, dup, traceContext, acknowledge }: Incoming, inbox: Inbox) {
    this.topic = topic
    this.message = message
    this.retain = retain
    this.dup = dup
    this.traceContext = traceContext
    this.#acknowledge = acknowledge
    this.#inbox = inbox
  }

  /** Whether the broker waits for our word. */
  get isOwed(): boolean {
    return this.#acknowledge !== undefined
  }

  /** The broker redelivers it. */
  withdraw(): void {
    this.withdrawn = true
    this.#inbox.done(this)
  }

  disown(): void {
    this.#acknowledge = undefined
  }

  ack(): void {
    // If it is redelivered, under the same packet id, it is another message to the broker.
    if (!this.withdrawn) this.#acknowledge?.()
    this.#inbox.done(this)
  }

  nack(): void {
    this.dup = true
    this.#inbox.again(this)
  }

  setAside(): void {
    if (this.isAside || this.withdrawn) return
    this.isAside = true
    this.#acknowledge?.setAside?.()
    this.#inbox.aside(this)
  }
}
