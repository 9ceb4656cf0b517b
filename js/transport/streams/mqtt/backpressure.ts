import { type AlvariumError, expected } from '../../../foundation/base/errors.js'
import { Notifier } from '../../../foundation/base/time/notifier.js'
import type { StreamRoom } from '../stream.js'
import { Chain } from './chain.js'
import type { MqttSettings } from './options.js'
import type { QueuedMessage } from './queued-message.js'

export type BackpressureOptions = Pick<MqttSettings, 'maxQueuedMessages' | 'maxQueuedBytes' | 'whenFull'>

const ONE_MESSAGE: StreamRoom = { messages: 1, bytes: 1 }

/** Limit for the number and bytes of queued messages. Messages over it are rejected, or wait for room. */
export class Backpressure {
  readonly #options: BackpressureOptions
  readonly #admit: (queued: QueuedMessage) => void
  /** All unsettled messages, the oldest first. */
  readonly messages = new Chain<QueuedMessage>()
  /** The oldest message that waits for room. All later messages wait, too. */
  #firstWaiting: QueuedMessage | undefined
  readonly #freed = new Notifier()
  #closed: AlvariumError | undefined
  #count = 0
  #bytes = 0

  constructor(options: BackpressureOptions, admit: (queued: QueuedMessage) => void) {
    this.#options = options
    this.#admit = admit
  }

  get count(): number {
    return this.#count
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Admits a message now or later. Returns a `QUEUE_FULL` error if neither is possible. */
  enter(queued: QueuedMessage): AlvariumError | undefined {
    const isFull = this.#isFull(queued.bytes)
    // A message longer than the whole limit would wait forever.
    const isTooLong = queued.bytes > this.#options.maxQueuedBytes
    if (isFull && (isTooLong || this.#options.whenFull === 'reject')) return this.#fullError(queued.bytes)
    this.messages.append(queued)
    if (!isFull && !this.#firstWaiting) this.#admitNow(queued)
    else this.#firstWaiting ??= queued
    return undefined
  }

  leave(queued: QueuedMessage): void {
    if (queued === this.#firstWaiting) this.#firstWaiting = queued.after
    this.messages.remove(queued)
    if (queued.isAdmitted) {
      this.#count--
      this.#bytes -= queued.bytes
    }
    // Do this even if the removed message was itself waiting: shorter ones behind it may fit.
    this.#admitWaiting()
    this.#freed.notifyAll()
  }

  #admitWaiting(): void {
    for (let next = this.#firstWaiting; next && !this.#isFull(next.bytes); next = next.after) {
      this.#firstWaiting = next.after
      this.#admitNow(next)
    }
  }

  async ready(): Promise<void> {
    const before = this.#closed
    for (let room = this.hasRoom(ONE_MESSAGE); room !== true; room = this.hasRoom(ONE_MESSAGE)) {
      await room
      if (this.#closed !== before) throw this.#closed
    }
  }

  /**
   * Implements `StreamProvider.hasRoom`. An empty queue has room for any message: waiting would not help a
   * long one.
   */
  hasRoom({ messages, bytes }: StreamRoom): true | Promise<void> {
    const { maxQueuedMessages, maxQueuedBytes } = this.#options
    const isEmpty = this.#count === 0 && messages <= 1
    const fits = this.#count + messages <= maxQueuedMessages && this.#bytes + bytes <= maxQueuedBytes
    return isEmpty || (fits && !this.#firstWaiting) || this.#freed.next
  }

  close(error: AlvariumError): void {
    this.#closed = error
    this.#freed.notifyAll()
  }

  #admitNow(queued: QueuedMessage): void {
    queued.isAdmitted = true
    this.#count++
    this.#bytes += queued.bytes
    this.#admit(queued)
  }

  #isFull(bytes: number): boolean {
    const { maxQueuedMessages, maxQueuedBytes } = this.#options
    return this.#count >= maxQueuedMessages || this.#bytes + bytes > maxQueuedBytes
  }

  #fullError(bytes: number): AlvariumError {
    const { maxQueuedMessages, maxQueuedBytes } = this.#options
    const isMany = this.#count >= maxQueuedMessages
    const limit = isMany ? `${maxQueuedMessages} messages` : `${maxQueuedBytes} bytes`
    const got = isMany ? this.#count + 1 : this.#bytes + bytes
    return expected('QUEUE_FULL', 'mqtt', `at most ${limit} waiting for the broker`, `${got}`)
  }
}
