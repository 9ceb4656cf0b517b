/** The one place where messages wait for the stream: bounded, counted, and shown by the queue panel. */
import type { Waiting } from '../protocol.ts'
import { LONGEST_WAIT_MS, MOST_WAITING, MOST_WAITING_BYTES, type Sender } from '../transport/transport.ts'
import { AlvariumError } from './sdk.ts'

/** A message from being published to being settled. */
interface Parcel {
  readonly message: Uint8Array
  /** Milliseconds since 1970. */
  readonly since: number
}

/**
 * Stands before a {@link Sender}. Closed, it holds messages back; opened, they go out in their order. What was on its
 * way when a connection broke is sent again by the sender, and counts here until it is accepted.
 */
export class Gate {
  readonly #sender: Sender
  /** In the order in which they came. */
  readonly #parcels = new Set<Parcel>()
  readonly #held = new Set<() => void>()
  #bytes = 0
  #refused = 0
  #isOpen = false

  constructor(sender: Sender) {
    this.#sender = sender
  }

  /** Resolves when the other side has it. @throws AlvariumError `QUEUE_FULL`, `STREAM_TIMEOUT`, or the sender's own */
  async publish(message: Uint8Array): Promise<void> {
    this.#assertRoom(message.length)
    const parcel = { message, since: Date.now() }
    this.#parcels.add(parcel)
    this.#bytes += message.length
    try {
      if (!this.#isOpen) await this.#opened()
      await this.#sender.publish(message)
    } finally {
      this.#parcels.delete(parcel)
      this.#bytes -= message.length
    }
  }

  open(): void {
    this.#isOpen = true
    for (const release of this.#held) release()
    this.#held.clear()
  }

  close(): void {
    this.#isOpen = false
  }

  waiting(): Waiting {
    const [oldest] = this.#parcels
    return {
      calls: this.#parcels.size,
      bytes: this.#bytes,
      refused: this.#refused,
      ...(oldest && { oldestSince: oldest.since }),
    }
  }

  #assertRoom(bytes: number): void {
    const isFull = this.#parcels.size >= MOST_WAITING
    if (!isFull && this.#bytes + bytes <= MOST_WAITING_BYTES) return
    this.#refused++
    const most = isFull ? `${MOST_WAITING} messages` : `${MOST_WAITING_BYTES} bytes`
    throw new AlvariumError('QUEUE_FULL', `queue: expected at most ${most} waiting, got one more`)
  }

  #opened(): Promise<void> {
    return new Promise((resolve, reject) => {
      const release = () => {
        clearTimeout(timer)
        resolve()
      }
      const expire = () => {
        this.#held.delete(release)
        const text = `queue: expected a connection within ${LONGEST_WAIT_MS} ms, got none`
        reject(new AlvariumError('STREAM_TIMEOUT', text))
      }
      const timer = setTimeout(expire, LONGEST_WAIT_MS)
      this.#held.add(release)
    })
  }
}
