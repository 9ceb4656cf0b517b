import { Chain } from './chain.js'
import type { PublishPacket, QueuedMessage } from './queued-message.js'

/**
 * Waiting packets in the order of sending. The oldest packet goes first. Packets with little time left go
 * after all others, and suspects at their turn (see `PoisonDetector`). No packet is sent while one waits for
 * a subscriber.
 */
export class Schedule {
  readonly #publishTimeoutMs: number
  readonly #timely = new Chain<PublishPacket>()
  readonly #late = new Chain<PublishPacket>()
  readonly #suspects = new Chain<PublishPacket>()
  readonly #unsubscribed = new Chain<PublishPacket>()

  constructor(publishTimeoutMs: number) {
    this.#publishTimeoutMs = publishTimeoutMs
  }

  add(packet: PublishPacket): void {
    this.#timely.append(packet)
  }

  /** Puts a packet back at the front after a failed attempt. To put several back in order, begin with the newest. */
  putBack(packet: PublishPacket): void {
    this.#timely.prepend(packet)
  }

  /** Holds a suspect back until `next` is called with a `turn` for suspects. */
  holdSuspect(packet: PublishPacket): void {
    this.remove(packet)
    this.#suspects.append(packet)
  }

  get hasSuspects(): boolean {
    return this.#suspects.size > 0
  }

  /** Holds back a packet without subscribers, and all other packets too, until `retry()`. */
  wait(packet: PublishPacket): void {
    this.#unsubscribed.append(packet)
  }

  retry(): void {
    for (const packet of [...this.#unsubscribed].reverse()) {
      this.#unsubscribed.remove(packet)
      this.putBack(packet)
    }
  }

  /** Puts all suspects back at the front, and resets their `strikes`. */
  releaseSuspects(): void {
    for (const packet of [...this.#suspects].reverse()) {
      packet.strikes = 0
      this.#suspects.remove(packet)
      this.putBack(packet)
    }
  }

  /**
   * Returns the next packet to send, without removing it. `turn` is the position of suspects: `later` sends
   * none.
   */
  next(
    now: number,
    leastLeftMs: number,
    turn: 'first' | 'last' | 'later' = 'later',
  ): PublishPacket | undefined {
    if (this.#unsubscribed.size > 0) return undefined
    const { first } = this.#suspects
    if (first && turn === 'first') return first
    return this.#nextUnsuspected(now, leastLeftMs) ?? (turn === 'last' ? first : undefined)
  }

  #nextUnsuspected(now: number, leastLeftMs: number): PublishPacket | undefined {
    const newestLate = now - this.#publishTimeoutMs + leastLeftMs
    for (let first = this.#timely.first; first; first = this.#timely.first) {
      if (first.queued.acceptedAt >= newestLate) return first
      this.#timely.remove(first)
      this.#late.append(first)
    }
    return this.#late.first
  }

  remove(packet: PublishPacket): void {
    if (this.#timely.remove(packet) || this.#late.remove(packet)) return
    if (!this.#suspects.remove(packet)) this.#unsubscribed.remove(packet)
  }
}

/**
 * Creates one timer for the deadlines of all messages. All have the same timeout, so the first of the chain
 * expires first.
 */
export function createDeadlines(
  messages: Chain<QueuedMessage>,
  afterMs: number,
  expire: (queued: QueuedMessage) => void,
) {
  let timer: ReturnType<typeof setTimeout> | undefined
  const sweep = () => {
    timer = undefined
    const now = performance.now()
    for (let { first } = messages; first; first = messages.first) {
      const left = first.acceptedAt + afterMs - now
      if (left > 0) {
        timer = setTimeout(sweep, left)
        return
      }
      expire(first)
    }
  }
  return {
    /** Starts the timer unless it runs. The queue calls this for every new message. */
    watch: () => {
      timer ??= setTimeout(sweep, afterMs)
    },
    stop: () => {
      clearTimeout(timer)
      timer = undefined
    },
  }
}
