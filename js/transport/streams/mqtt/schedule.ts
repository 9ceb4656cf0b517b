import { Chain } from './chain.js'
import type { PublishPacket, QueuedMessage } from './queued-message.js'

/**
 * Selects the next packet to send: the oldest. Packets with little time left follow after the others, and suspects (see
 * `PoisonDetector`) at their turn. Nothing is sent while a packet waits for a subscriber.
 */
export class Schedule {
  readonly #publishTimeoutMs: number
  readonly #timely = new Chain<PublishPacket>()
  readonly #late = new Chain<PublishPacket>()
  readonly #suspects = new Chain<PublishPacket>()
  readonly #unheard = new Chain<PublishPacket>()

  constructor(publishTimeoutMs: number) {
    this.#publishTimeoutMs = publishTimeoutMs
  }

  add(packet: PublishPacket): void {
    this.#timely.append(packet)
  }

  /** Returns a packet that was sent and not accepted to the front. Call it for the last of several first. */
  putBack(packet: PublishPacket): void {
    this.#timely.prepend(packet)
  }

  /** Holds a suspect back until its turn. */
  holdSuspect(packet: PublishPacket): void {
    this.remove(packet)
    this.#suspects.append(packet)
  }

  get hasSuspects(): boolean {
    return this.#suspects.size > 0
  }

  /** Holds a packet without subscribers. Sending it, or the others, would be useless. */
  wait(packet: PublishPacket): void {
    this.#unheard.append(packet)
  }

  /** Returns packets without subscribers to the front, to try them again. */
  retry(): void {
    for (const packet of [...this.#unheard].reverse()) {
      this.#unheard.remove(packet)
      this.putBack(packet)
    }
  }

  /** Returns suspects to the front: they are no longer suspects. */
  releaseSuspects(): void {
    for (const packet of [...this.#suspects].reverse()) {
      packet.strikes = 0
      this.#suspects.remove(packet)
      this.putBack(packet)
    }
  }

  /**
   * Returns the next packet. It stays until it is removed.
   *
   * @param turn - time to send suspects
   */
  next(
    now: number,
    leastLeftMs: number,
    turn: 'first' | 'last' | 'later' = 'later',
  ): PublishPacket | undefined {
    if (this.#unheard.size > 0) return undefined
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

  /** Removes a packet. Does nothing if it does not wait. */
  remove(packet: PublishPacket): void {
    if (this.#timely.remove(packet) || this.#late.remove(packet)) return
    if (!this.#suspects.remove(packet)) this.#unheard.remove(packet)
  }
}

/** A single timer for the deadlines of all messages. */
export interface Deadlines {
  /** Starts the timer. Call it with every new message: it costs nothing while the timer runs. */
  watch(): void
  stop(): void
}

/**
 * Creates the timer. All messages have the same timeout, so the first of the chain, the oldest, is always the next to
 * expire.
 */
export function createDeadlines(
  messages: Chain<QueuedMessage>,
  afterMs: number,
  expire: (queued: QueuedMessage) => void,
): Deadlines {
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
    watch: () => {
      timer ??= setTimeout(sweep, afterMs)
    },
    stop: () => {
      clearTimeout(timer)
      timer = undefined
    },
  }
}
