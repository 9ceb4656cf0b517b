import { Notifier } from '../../../foundation/base/time/notifier.js'
import type { TraceContext } from '../../../foundation/model/trace-context.js'
import { platform } from '../../../foundation/platform/platform.js'
import type { Acknowledge } from './acknowledgements.js'

/** A received message that is not settled. */
export interface Arrival {
  readonly topic: string
  readonly message: Uint8Array
  /** True if the broker had retained it for new subscribers. */
  readonly retain: boolean
  /** True if it may have been delivered before: the broker says so, or `nack()` returned it. */
  readonly dup: boolean
  /** Time of arrival, in milliseconds since 1970. */
  readonly receivedAt: number
  /** Valid trace context of the message. Not signed, so anyone may have written it. */
  readonly traceContext?: TraceContext | undefined
  /** True if the broker will redeliver it, on the connection after the one that brought it. */
  readonly withdrawn: boolean
  /** Settles the message: the broker may forget it. */
  ack(): void
  /** Returns the message, because it could not be processed. It is redelivered after the waiting messages. */
  nack(): void
  /**
   * Sets the message aside until something else arrives. Later messages can be acknowledged before it, and its bytes no
   * longer count.
   */
  setAside(): void
}

/** A message as the connection delivers it. */
export interface IncomingMessage {
  readonly topic: string
  readonly message: Uint8Array
  readonly retain: boolean
  readonly dup: boolean
  readonly traceContext?: TraceContext | undefined
  /** Acknowledgement to the broker; absent for QoS 0. */
  readonly acknowledge?: Acknowledge | undefined
}

/** Maximum number of unsettled bytes; more would only take memory. One message may be longer. */
const MAX_UNSETTLED_BYTES = 4 * 1024 * 1024

/**
 * Holds received messages until they are settled, and no more than requested: the connection reads the next message
 * only when there is room. That is the backpressure on the broker.
 */
export class Inbox {
  readonly #prefetch: number
  /** Unsettled messages, waiting or delivered. */
  readonly #unsettled = new Set<InboxMessage>()
  /** Notifier of arrivals and settlements. */
  readonly #changed = new Notifier()
  #bytes = 0
  /** Highest number of simultaneously unsettled messages on this connection. */
  #reached = 0
  #waiting: InboxMessage[] = []
  #readOn: (() => void) | undefined
  #ended = false

  constructor(most: number) {
    this.#prefetch = most
  }

  /** Resolves when all received messages are settled. */
  async whenEmpty(): Promise<void> {
    while (this.#unsettled.size > 0) await this.#changed.next
  }

  /** True if nothing more is read until a message is settled. */
  get full(): boolean {
    return this.#unsettled.size >= this.#prefetch || this.#bytes >= MAX_UNSETTLED_BYTES
  }

  /** Number of messages that the broker is known to send before one is acknowledged; it may send more. */
  get reached(): number {
    return this.#reached
  }

  /** Starts another connection, maybe to another broker. */
  begin(): void {
    this.#reached = 0
  }

  /** Adds a message. @param readOn - called when there is room for the next one, at once if there is */
  put(incoming: IncomingMessage, readOn: () => void): void {
    if (this.#ended) {
      readOn()
      return
    }
    const held = new InboxMessage(incoming, this)
    this.#unsettled.add(held)
    this.#bytes += incoming.message.length
    this.#reached = Math.max(this.#reached, this.#unsettled.size)
    this.#readOn = readOn
    this.#enqueue(held)
    this.#makeRoom()
  }

  /** Returns all waiting messages, at least one; none after the end. Only for one caller at a time. */
  async take(): Promise<Arrival[]> {
    while (this.#waiting.length === 0 && !this.#ended) {
      await this.#changed.next
      // Wait one turn, because messages of one chunk arrive one by one, and each would be returned alone.
      if (!this.full) await platform.nextTurn()
    }
    return this.#waiting.splice(0)
  }

  /** Withdraws messages that the broker redelivers, because it resumes the last session. */
  withdraw(): void {
    for (const held of this.#unsettled) if (held.needsAcknowledgement) held.withdraw()
    this.#waiting = this.#waiting.filter(({ withdrawn }) => !withdrawn)
  }

  /**
   * Drops the acknowledgements, because the broker has forgotten its messages: it neither redelivers them nor waits for
   * an answer.
   */
  dropAcknowledgements(): void {
    for (const held of this.#unsettled) held.dropAcknowledgement()
  }

  /** Ends delivery: waiting and later messages go back to the broker. Delivered messages can still be acknowledged. */
  end(): void {
    this.#ended = true
    this.#waiting.length = 0
    this.#changed.tell()
    this.#readOn?.()
  }

  /** @internal Removes a settled message. */
  remove(held: InboxMessage): void {
    if (!this.#unsettled.delete(held)) return
    if (!held.isAside) this.#bytes -= held.message.length
    this.#changed.tell()
    this.#makeRoom()
  }

  /** @internal Frees the bytes of a message that was set aside. */
  freeBytes({ message }: InboxMessage): void {
    this.#bytes -= message.length
    this.#makeRoom()
  }

  /** @internal Delivers a message again. */
  redeliver(held: InboxMessage): void {
    if (this.#unsettled.has(held) && !this.#ended) this.#enqueue(held)
  }

  #enqueue(held: InboxMessage): void {
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

class InboxMessage implements Arrival {
  readonly topic: string
  readonly message: Uint8Array
  readonly retain: boolean
  dup: boolean
  readonly receivedAt = Date.now()
  readonly traceContext: TraceContext | undefined
  withdrawn = false
  isAside = false
  readonly #inbox: Inbox
  #acknowledge: IncomingMessage['acknowledge']

  constructor({ topic, message, retain, dup, traceContext, acknowledge }: IncomingMessage, inbox: Inbox) {
    this.topic = topic
    this.message = message
    this.retain = retain
    this.dup = dup
    this.traceContext = traceContext
    this.#acknowledge = acknowledge
    this.#inbox = inbox
  }

  /** True if the broker waits for an acknowledgement. */
  get needsAcknowledgement(): boolean {
    return this.#acknowledge !== undefined
  }

  /** Marks the message as one that the broker redelivers. */
  withdraw(): void {
    this.withdrawn = true
    this.#inbox.remove(this)
  }

  dropAcknowledgement(): void {
    this.#acknowledge = undefined
  }

  ack(): void {
    // A redelivered message is a different one to the broker, even under the same packet id.
    if (!this.withdrawn) this.#acknowledge?.()
    this.#inbox.remove(this)
  }

  nack(): void {
    this.dup = true
    this.#inbox.redeliver(this)
  }

  setAside(): void {
    if (this.isAside || this.withdrawn) return
    this.isAside = true
    this.#acknowledge?.setAside?.()
    this.#inbox.freeBytes(this)
  }
}
