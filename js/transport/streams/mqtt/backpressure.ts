import { type AlvariumError, expected } from '../../../foundation/base/errors.js'
import { Notifier } from '../../../foundation/base/time/notifier.js'
import type { StreamRoom } from '../stream.js'
import { Chain, Slot } from './chain.js'
import type { QueuedMessage } from './queued-message.js'

export interface BackpressureOptions {
  readonly maxQueuedMessages: number
  readonly maxQueuedBytes: number
  readonly whenFull: 'reject' | 'wait'
}

const ONE_MESSAGE: StreamRoom = { messages: 1, bytes: 1 }

/** Limit for the number and bytes of queued messages. Messages over it are rejected, or wait for room. */
export class Backpressure {
  readonly #options: BackpressureOptions
  readonly #admit: (queued: QueuedMessage) => void
  readonly #waiting = new Chain<Slot<QueuedMessage>>()
  readonly #freed = new Notifier()
  #closed: AlvariumError | undefined
  #count = 0
  #bytes = 0

  /** @param admit - called for each message when there is room for it */
  constructor(options: BackpressureOptions, admit: (queued: QueuedMessage) => void) {
    this.#options = options
    this.#admit = admit
  }

  /** Number of admitted messages. */
  get count(): number {
    return this.#count
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Admits a message now or later. Returns a `QUEUE_FULL` error if neither is possible. */
  enter(queued: QueuedMessage): AlvariumError | undefined {
    const full = this.#fullError(queued.bytes)
    if (!full && !this.#waiting.first) {
      this.#admitNow(queued)
      return undefined
    }
    // A message longer than the whole limit would wait forever.
    const isTooLong = queued.bytes > this.#options.maxQueuedBytes
    if (full && (isTooLong || this.#options.whenFull === 'reject')) return full
    queued.waitingSlot = new Slot(queued)
    this.#waiting.append(queued.waitingSlot)
    return undefined
  }

  /** Removes a message, whether it is admitted or waits for room. */
  leave(queued: QueuedMessage): void {
    if (queued.waitingSlot) this.#waiting.remove(queued.waitingSlot)
    else {
      this.#count--
      this.#bytes -= queued.bytes
    }
    // Admit waiting messages even if the removed message was itself waiting, because shorter ones behind it may fit.
    this.#admitWaiting()
    this.#freed.notifyAll()
  }

  #admitWaiting(): void {
    for (
      let next = this.#waiting.first;
      next && !this.#fullError(next.value.bytes);
      next = this.#waiting.first
    ) {
      this.#waiting.remove(next)
      next.value.waitingSlot = undefined
      this.#admitNow(next.value)
    }
  }

  /** Resolves when there is room for one more message. */
  async ready(): Promise<void> {
    const before = this.#closed
    for (let room = this.hasRoom(ONE_MESSAGE); room !== true; room = this.hasRoom(ONE_MESSAGE)) {
      await room
      if (this.#closed !== before) throw this.#closed
    }
  }

  /**
   * Returns true if the given messages fit. Otherwise returns a promise that resolves when another call of
   * `hasRoom` may return true. An empty queue always has room for one message, because waiting would not
   * help a message over the limit.
   */
  hasRoom({ messages, bytes }: StreamRoom): true | Promise<void> {
    const { maxQueuedMessages, maxQueuedBytes } = this.#options
    const isEmpty = this.#count === 0 && messages <= 1
    const fits = this.#count + messages <= maxQueuedMessages && this.#bytes + bytes <= maxQueuedBytes
    return isEmpty || (fits && !this.#waiting.first) || this.#freed.next
  }

  /** Rejects all pending calls of `ready()` with an error. */
  close(error: AlvariumError): void {
    this.#closed = error
    this.#freed.notifyAll()
  }

  #admitNow(queued: QueuedMessage): void {
    this.#count++
    this.#bytes += queued.bytes
    this.#admit(queued)
  }

  #fullError(bytes: number): AlvariumError | undefined {
    const { maxQueuedMessages, maxQueuedBytes } = this.#options
    const total = this.#bytes + bytes
    const isMany = this.#count >= maxQueuedMessages
    if (!isMany && total <= maxQueuedBytes) return undefined
    const limit = isMany ? `${maxQueuedMessages} messages` : `${maxQueuedBytes} bytes`
    const got = isMany ? this.#count + 1 : total
    return expected('QUEUE_FULL', 'mqtt', `at most ${limit} waiting for the broker`, `${got}`)
  }
}
