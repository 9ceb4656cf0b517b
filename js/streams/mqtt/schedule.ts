import { Chain } from './chain.js'
import type { PublishPacket, QueuedMessage } from './queued-message.js'

/**
 * Which packet is sent next: the oldest, but those with little time left after the others, and suspects (see
 * `PoisonDetector`) when they have their turn. None while there is one that nobody subscribes to.
 */
export class Schedule {
  readonly #publishTimeoutMs: number
  readonly #timely = new Chain<PublishPacket>()
  readonly #late = new Chain<PublishPacket>()
  readonly #held = new Chain<PublishPacket>()
  readonly #unheard = new Chain<PublishPacket>()

  constructor(publishTimeoutMs: number) {
    this.#publishTimeoutMs = publishTimeoutMs
  }

  add(packet: PublishPacket): void {
    this.#timely.append(packet)
  }

  /** Takes back what was sent and not accepted; the last of several first. */
  putBack(packet: PublishPacket): void {
    this.#timely.prepend(packet)
  }

  /** Keeps a suspect back until it has its turn. */
  hold(packet: PublishPacket): void {
    this.remove(packet)
    this.#held.append(packet)
  }

  get isHolding(): boolean {
    return this.#held.size > 0
  }

  /** Nobody subscribes to it: it would be sent in vain, and so would the others. */
  wait(packet: PublishPacket): void {
    this.#unheard.append(packet)
  }

  /** What nobody subscribed to is tried again. */
  retry(): void {
    for (const packet of [...this.#unheard].reverse()) {
      this.#unheard.remove(packet)
      this.putBack(packet)
    }
  }

  /** What was held back is like the others from now on. */
  release(): void {
    for (const packet of [...this.#held].reverse()) {
      packet.strikes = 0
      this.#held.remove(packet)
      this.putBack(packet)
    }
  }

  /**
   * Which one is next. It stays until it is removed.
   *
   * @param turn - when those are sent that are held back
   */
  next(
    now: number,
    leastLeftMs: number,
    turn: 'first' | 'last' | 'later' = 'later',
  ): PublishPacket | undefined {
    if (this.#unheard.size > 0) return undefined
    const { first } = this.#held
    if (first && turn === 'first') return first
    return this.#other(now, leastLeftMs) ?? (turn === 'last' ? first : undefined)
  }

  #other(now: number, leastLeftMs: number): PublishPacket | undefined {
    const newestLate = now - this.#publishTimeoutMs + leastLeftMs
    for (let first = this.#timely.first; first; first = this.#timely.first) {
      if (first.queued.acceptedAt >= newestLate) return first
      this.#timely.remove(first)
      this.#late.append(first)
    }
    return this.#late.first
  }

  /** Does nothing for one that does not wait. */
  remove(packet: PublishPacket): void {
    if (this.#timely.remove(packet) || this.#late.remove(packet)) return
    if (!this.#held.remove(packet)) this.#unheard.remove(packet)
  }
}

/** One timer for the deadlines of all messages. */
export interface Deadlines {
  /** To be called with every new message: it costs nothing while the timer runs. */
  watch(): void
  stop(): void
}

/** They all have the same time, so the oldest, which is the first of its chain, is always the next. */
export function deadlines(
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
