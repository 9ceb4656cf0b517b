import { Notifier } from '../../../foundation/base/time/notifier.js'
import type { TraceContext } from '../../../foundation/model/trace-context.js'
import { platform } from '../../../foundation/platform/platform.js'
import type { Acknowledge } from './acknowledgements.js'

/** A received message that is not settled. */
export interface ReceivedMessage {
  readonly topic: string
  readonly message: Uint8Array
  /** True if the broker stored the message before the subscription (MQTT RETAIN flag). */
  readonly retain: boolean
  /** True if the message may be a redelivery, because the broker marked it as one, or `nack()` was called. */
  readonly dup: boolean
  /** Time of arrival in milliseconds since 1970. */
  readonly receivedAt: number
  /** Valid trace context of the message. It is not signed, so anyone may have written it. */
  readonly traceContext?: TraceContext | undefined
  /** True if the broker redelivers the message over a newer connection, so that `ack()` has no effect. */
  readonly withdrawn: boolean
  /** Acknowledges the message to the broker, which may then delete it. */
  ack(): void
  /** Puts the message behind all waiting messages, to be delivered again, because it could not be processed. */
  nack(): void
  /**
   * Sets the message aside until another message, such as a lease, arrives. Later messages can then be
   * acknowledged first, and the bytes of this message no longer count towards the inbox's limit.
   */
  setAside(): void
}

export type IncomingMessage = Pick<
  ReceivedMessage,
  'topic' | 'message' | 'retain' | 'dup' | 'traceContext'
> & {
  readonly acknowledge?: Acknowledge | undefined
}

/** Total bytes of unsettled messages at which reading stops. Messages that are set aside do not count. */
const MAX_UNSETTLED_BYTES = 4 * 1024 * 1024

/** Buffer of received messages until they are settled. The connection reads only while it has room. */
export class Inbox {
  readonly #prefetch: number
  readonly #unsettled = new Set<InboxMessage>()
  readonly #changed = new Notifier()
  #bytes = 0
  #reached = 0
  #waiting: InboxMessage[] = []
  #readOn: (() => void) | undefined
  #ended = false

  constructor(prefetch: number) {
    this.#prefetch = prefetch
  }

  async whenEmpty(): Promise<void> {
    while (this.#unsettled.size > 0) await this.#changed.next
  }

  get full(): boolean {
    return this.#unsettled.size >= this.#prefetch || this.#bytes >= MAX_UNSETTLED_BYTES
  }

  /** Highest number of unsettled messages on this connection. */
  get reached(): number {
    return this.#reached
  }

  /** Resets `reached`, because the connection may be to another broker. */
  begin(): void {
    this.#reached = 0
  }

  /** Adds a message. @param readOn - called when there is room for the next message, possibly at once */
  put(incoming: IncomingMessage, readOn: () => void): void {
    if (this.#ended) {
      readOn()
      return
    }
    const inboxMessage = new InboxMessage(incoming, this)
    this.#unsettled.add(inboxMessage)
    this.#bytes += incoming.message.length
    this.#reached = Math.max(this.#reached, this.#unsettled.size)
    this.#readOn = readOn
    this.#enqueue(inboxMessage)
    this.#makeRoom()
  }

  /** Waits for messages and returns all of them, or none after `end()`. Only one caller may wait. */
  async take(): Promise<ReceivedMessage[]> {
    while (this.#waiting.length === 0 && !this.#ended) {
      await this.#changed.next
      // Wait for the next turn, so that one call returns all messages of a chunk.
      if (!this.full) await platform.nextTurn()
    }
    return this.#waiting.splice(0)
  }

  /** Withdraws unacknowledged messages, because a broker that resumes the session resends them. */
  withdraw(): void {
    for (const inboxMessage of this.#unsettled) if (inboxMessage.needsAcknowledgement) inboxMessage.withdraw()
    this.#waiting = this.#waiting.filter(({ withdrawn }) => !withdrawn)
  }

  /**
   * Drops the acknowledgements of unsettled messages, because a broker that has lost the session expects
   * none.
   */
  dropAcknowledgements(): void {
    for (const inboxMessage of this.#unsettled) inboxMessage.dropAcknowledgement()
  }

  /** Ends the delivery of waiting and later messages. Delivered messages can still be acknowledged. */
  end(): void {
    this.#ended = true
    this.#waiting.length = 0
    this.#changed.notifyAll()
    this.#readOn?.()
  }

  remove(inboxMessage: InboxMessage): void {
    if (!this.#unsettled.delete(inboxMessage)) return
    if (!inboxMessage.isAside) this.#bytes -= inboxMessage.message.length
    this.#changed.notifyAll()
    this.#makeRoom()
  }

  /** @internal Stops counting the bytes of a message that was set aside. */
  freeBytes({ message }: InboxMessage): void {
    this.#bytes -= message.length
    this.#makeRoom()
  }

  /** @internal Queues an unsettled message for another delivery. */
  redeliver(inboxMessage: InboxMessage): void {
    if (this.#unsettled.has(inboxMessage) && !this.#ended) this.#enqueue(inboxMessage)
  }

  #enqueue(inboxMessage: InboxMessage): void {
    this.#waiting.push(inboxMessage)
    this.#changed.notifyAll()
  }

  #makeRoom(): void {
    if (this.full) return
    const readOn = this.#readOn
    this.#readOn = undefined
    readOn?.()
  }
}

class InboxMessage implements ReceivedMessage {
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

  get needsAcknowledgement(): boolean {
    return this.#acknowledge !== undefined
  }

  withdraw(): void {
    this.withdrawn = true
    this.#inbox.remove(this)
  }

  dropAcknowledgement(): void {
    this.#acknowledge = undefined
  }

  ack(): void {
    // Do not acknowledge a withdrawn message: its packet id may now belong to a redelivered message.
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
