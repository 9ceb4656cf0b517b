import { Latency } from '../../../foundation/base/time/latency.js'
import { acknowledgedChannel, publishedChannel, resentChannel } from '../channels.js'
import { Chain } from './chain.js'
import { isSuspect, type PoisonDetector } from './poison.js'
import type { PublishPacket, QueuedMessage } from './queued-message.js'
import type { Schedule } from './schedule.js'

/** Callback for the answer to a packet, called at most once: with an error unless the packet was accepted. */
export type AnswerCallback = (error?: unknown) => void

export interface PacketSender {
  readonly window: number
  /** Sends one packet. A throw counts as a refusal of the packet. */
  send(topic: string, queued: QueuedMessage, done: AnswerCallback): void
  drop(reason: Error): void
}

/** Share of a message's timeout after which a broker that answers nothing counts as stuck. */
const STUCK_SHARE = 1 / 3

/** The in-flight window: sent packets without an acknowledgement, at most as many as the broker allows. */
export class InFlight {
  readonly #schedule: Schedule
  readonly #poison: PoisonDetector
  readonly #onAnswer: (packet: PublishPacket, error: unknown) => void
  readonly #packets = new Chain<PublishPacket>()
  readonly #pace: Pace
  readonly #stuckMs: number
  #sink: PacketSender | undefined
  #sending = false
  #isSuspectInFlight = false
  /** Time at which a packet was last sent or answered, as of `performance.now()`. */
  #lastProgressAt = 0
  #resent = 0
  readonly #acknowledge = new Latency()

  constructor(
    schedule: Schedule,
    poison: PoisonDetector,
    publishTimeoutMs: number,
    onAnswer: (packet: PublishPacket, error: unknown) => void,
  ) {
    this.#schedule = schedule
    this.#poison = poison
    this.#onAnswer = onAnswer
    this.#pace = new Pace(publishTimeoutMs)
    this.#stuckMs = publishTimeoutMs * STUCK_SHARE
  }

  /** Number of packets in flight, including packets of settled messages. */
  get size(): number {
    return this.#packets.size
  }

  get usualMs(): number {
    return this.#pace.usualMs
  }

  attach(sink: PacketSender): void {
    this.#sink = sink
    this.#pace.begin(sink.window)
    this.send()
  }

  /** Ends sending. Returns the packets that were in flight, in the order of sending. */
  detach(): PublishPacket[] {
    this.#sink = undefined
    const lost = [...this.#packets]
    for (const packet of lost) this.#packets.remove(packet)
    return lost
  }

  /**
   * Sends packets until the window is full. With QoS 0, an answer can call this method again while it runs:
   * `#sending` ends the inner call.
   */
  send(now = performance.now()): void {
    if (this.#sending || !this.#sink || this.#isFull()) return
    this.#sending = true
    for (let sink: PacketSender | undefined = this.#sink; sink; sink = this.#sink) {
      const packet = this.#schedule.next(now, this.#pace.minLeftMs, this.#poison.turn)
      if (!packet || !this.#hasRoomFor(packet)) break
      this.#schedule.remove(packet)
      this.#sendOne(packet, sink, now)
    }
    this.#sending = false
  }

  #isFull(): boolean {
    const { size } = this.#packets
    return size >= this.#pace.window || (size > 0 && this.#isSuspectInFlight)
  }

  #hasRoomFor(packet: PublishPacket): boolean {
    if (this.#packets.size === 0) return true
    return !this.#isFull() && !isSuspect(packet)
  }

  #sendOne(packet: PublishPacket, sink: PacketSender, now: number): void {
    const done = (error?: unknown) => {
      // Ignore callbacks of an earlier connection.
      if (this.#sink !== sink || !this.#packets.remove(packet)) return
      const tookMs = this.#recordAnswer(packet)
      if (error === undefined) {
        this.#poison.recordAcceptance()
        if (acknowledgedChannel.hasSubscribers)
          acknowledgedChannel.publish({ topic: packet.topic, bytes: packet.queued.bytes, tookMs })
      }
      this.#onAnswer(packet, error)
      this.send(this.#lastProgressAt)
    }
    const isResent = packet.sentAt >= 0
    if (isResent) this.#resent++
    const channel = isResent ? resentChannel : publishedChannel
    if (channel.hasSubscribers) channel.publish({ topic: packet.topic, bytes: packet.queued.bytes })
    packet.sentAt = now
    this.#isSuspectInFlight = isSuspect(packet)
    packet.wasSentAsSuspect = this.#isSuspectInFlight && this.#poison.turn === 'first'
    packet.isAlone = this.#packets.size === 0
    this.#lastProgressAt = now
    this.#packets.append(packet)
    try {
      sink.send(packet.topic, packet.queued, done)
    } catch (error) {
      done(error)
    }
  }

  #recordAnswer({ sentAt, isAlone }: PublishPacket): number {
    this.#lastProgressAt = performance.now()
    const tookMs = this.#lastProgressAt - sentAt
    this.#pace.recordAnswer(tookMs, isAlone)
    this.#acknowledge.record(tookMs)
    return tookMs
  }

  stats() {
    return { inFlight: this.#packets.size, resent: this.#resent, acknowledge: this.#acknowledge.stats() }
  }

  /**
   * Cuts the connection if a full window has only packets of settled messages, and the broker has been silent
   * for `STUCK_SHARE` of the timeout. The broker still counts timed-out messages, and may disconnect if one
   * more is sent: only a new connection frees their places.
   */
  dropIfStuck(): void {
    const { size } = this.#packets
    if (!this.#sink || size < this.#pace.window || performance.now() - this.#lastProgressAt < this.#stuckMs)
      return
    for (const packet of this.#packets) if (!packet.queued.settled) return
    this.#sink.drop(new Error(`the broker acknowledged none of ${size} messages in time`))
  }
}

/** Share of a message's timeout: with less time left, the message loses its turn; see `minLeftMs`. */
const MIN_TIME_LEFT = 1 / 6
/** Share of a message's timeout that an acknowledgement may take before the window shrinks. */
const SLOW_SHARE = 1 / 10
/** Initial number of packets in the window, for a broker that has not acknowledged anything yet. */
const INITIAL_WINDOW = 16
/** Factor by which each slow acknowledgement shrinks the window. */
const SHRINK_FACTOR = 0.9
/** Weight of an acknowledgement in the moving average `usualMs`, if it was faster than this average. */
const AVERAGE_WEIGHT = 1 / 16

/**
 * Pace of sending while more is published than the broker accepts. Two rules apply:
 *
 * - Messages are sent oldest first, but messages with less time left than the broker needs go last. Otherwise
 *   every message would be sent just before its timeout.
 * - No more messages are in flight than the broker acknowledges in a fraction of the timeout. Otherwise
 *   messages would time out while a slow broker processes them.
 *
 * With only one of the rules, messages would be sent, but none acknowledged in time.
 *
 * Sending the oldest message first keeps the order, and after an outage delivers all messages that can still be
 * delivered. Queues under overload usually send the newest first, which does not keep the order.
 */
export class Pace {
  readonly #timeoutMs: number
  #maxWindow = INITIAL_WINDOW
  #window = INITIAL_WINDOW
  #usualMs = 0
  #aloneMs = Number.POSITIVE_INFINITY

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs
  }

  get window(): number {
    return Math.floor(Math.min(this.#window, this.#maxWindow))
  }

  get usualMs(): number {
    return this.#usualMs
  }

  /** Threshold in milliseconds: a message with less time left until its timeout is sent after all others. */
  get minLeftMs(): number {
    const needed = Math.max(this.#timeoutMs * MIN_TIME_LEFT, 2 * this.#usualMs)
    return Math.min(needed, this.#timeoutMs / 2)
  }

  begin(maxWindow: number): void {
    this.#maxWindow = maxWindow
    this.#aloneMs = Number.POSITIVE_INFINITY
  }

  /**
   * Records an acknowledgement. `alone` is true if no other packet was in flight when its packet was sent.
   */
  recordAnswer(afterMs: number, alone: boolean): void {
    this.#usualMs = Math.max(afterMs, this.#usualMs + (afterMs - this.#usualMs) * AVERAGE_WEIGHT)
    if (alone || afterMs < this.#aloneMs) this.#aloneMs = afterMs
    // Compare with the time of a lone packet too, because if that packet is slow, a smaller window does not
    // help.
    const isSlow = afterMs > Math.max(this.#timeoutMs * SLOW_SHARE, 2 * this.#aloneMs)
    // Keep the window across connections, because a slow broker is no faster on a new connection.
    this.#window = isSlow ? Math.max(1, this.window * SHRINK_FACTOR) : Math.max(this.#window, this.window + 1)
  }
}
