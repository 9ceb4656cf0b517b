import { Latency } from '../../base/time/latency.js'
import { acknowledged, published, resent } from '../channels.js'
import { Chain } from './chain.js'
import { isSuspect, type PoisonDetector } from './poison.js'
import type { PublishPacket, QueuedMessage } from './queued-message.js'
import type { Schedule } from './schedule.js'

/** Called once for each packet: with an error if the broker refused it, without if it accepted it. */
export type Done = (error?: unknown) => void

/** Where packets go while there is a connection. */
export interface Sink {
  /** Most packets without an acknowledgement. */
  readonly window: number
  /** Sends one packet; a throw refuses it. */
  send(topic: string, queued: QueuedMessage, done: Done): void
  /** Cuts the connection, as nothing can get through it any more. */
  drop(reason: Error): void
}

/** A broker that answers nothing for this part of a message's time is stuck. */
const STUCK = 1 / 3

/** The in-flight window: packets that were sent and not acknowledged, no more than the broker allows. */
export class InFlight {
  readonly #schedule: Schedule
  readonly #poison: PoisonDetector
  readonly #arrived: (packet: PublishPacket, error: unknown) => void
  readonly #packets = new Chain<PublishPacket>()
  readonly #pace: Pace
  readonly #stuckMs: number
  #sink: Sink | undefined
  #sending = false
  #isSuspectInFlight = false
  /** When a packet was last sent or answered. */
  #movedAt = 0
  #resent = 0
  readonly #acknowledge = new Latency()

  constructor(
    schedule: Schedule,
    poison: PoisonDetector,
    publishTimeoutMs: number,
    arrived: (packet: PublishPacket, error: unknown) => void,
  ) {
    this.#schedule = schedule
    this.#poison = poison
    this.#arrived = arrived
    this.#pace = new Pace(publishTimeoutMs)
    this.#stuckMs = publishTimeoutMs * STUCK
  }

  /** How many packets are in flight, given up or not. */
  get size(): number {
    return this.#packets.size
  }

  /** How long an acknowledgement takes, in milliseconds. */
  get usualMs(): number {
    return this.#pace.usualMs
  }

  attach(sink: Sink): void {
    this.#sink = sink
    this.#pace.begin(sink.window)
    this.send()
  }

  /** The connection is gone. Returns what was in flight, in the order in which it was sent. */
  detach(): PublishPacket[] {
    this.#sink = undefined
    const inFlight = [...this.#packets]
    for (const packet of inFlight) this.#packets.remove(packet)
    return inFlight
  }

  /** Fills the window. QoS 0 calls back from inside `send`: without the flag that recurses per message. */
  send(now = performance.now()): void {
    if (this.#sending || !this.#sink || this.#isFull()) return
    this.#sending = true
    for (let sink: Sink | undefined = this.#sink; sink; sink = this.#sink) {
      const packet = this.#schedule.next(now, this.#pace.leastLeftMs, this.#poison.turn)
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

  #sendOne(packet: PublishPacket, sink: Sink, now: number): void {
    const done = (error?: unknown) => {
      // A client that is already replaced may still call back.
      if (this.#sink !== sink || !this.#packets.remove(packet)) return
      const tookMs = this.#answered(packet)
      if (error === undefined) {
        this.#poison.accepted()
        if (acknowledged.hasSubscribers)
          acknowledged.publish({ topic: packet.topic, bytes: packet.queued.bytes, tookMs })
      }
      this.#arrived(packet, error)
      this.send(this.#movedAt)
    }
    const isResent = packet.sentAt >= 0
    if (isResent) this.#resent++
    const channel = isResent ? resent : published
    if (channel.hasSubscribers) channel.publish({ topic: packet.topic, bytes: packet.queued.bytes })
    packet.sentAt = now
    this.#isSuspectInFlight = isSuspect(packet)
    packet.isTried = this.#isSuspectInFlight && this.#poison.turn === 'first'
    packet.isAlone = this.#packets.size === 0
    this.#movedAt = now
    this.#packets.append(packet)
    try {
      sink.send(packet.topic, packet.queued, done)
    } catch (error) {
      done(error)
    }
  }

  #answered({ sentAt, isAlone }: PublishPacket): number {
    this.#movedAt = performance.now()
    const tookMs = this.#movedAt - sentAt
    this.#pace.answered(tookMs, isAlone)
    this.#acknowledge.record(tookMs)
    return tookMs
  }

  stats() {
    return { inFlight: this.#packets.size, resent: this.#resent, acknowledge: this.#acknowledge.stats() }
  }

  /**
   * A message that was given up keeps its place in the window: the broker still counts it, and would punish
   * one more. A window with no other messages in it, of which none is answered, can only be emptied by a new connection.
   */
  cutWhenStuck(): void {
    const { size } = this.#packets
    if (!this.#sink || size < this.#pace.window || performance.now() - this.#movedAt < this.#stuckMs) return
    for (const packet of this.#packets) if (!packet.queued.settled) return
    this.#sink.drop(new Error(`the broker acknowledged none of ${size} messages in time`))
  }
}

/** Of its time, a message has to have so much left to go before others. */
const LEAST_LEFT = 1 / 6
/** Of a message's time, an acknowledgement may take so much before fewer are sent. */
const SLOW = 1 / 10
/** How many are sent to a broker that has not acknowledged any yet. */
const FIRST = 16
/** How much less is sent for each acknowledgement that was slow. */
const BRAKE = 0.9
/** How much of a quicker acknowledgement goes into what is expected of the next. */
const WEIGHT = 1 / 16

/**
 * What holds if more is published than the broker accepts, for however long: messages are sent oldest first, but none
 * before others that has less time left than the broker is going to need, and no more at a time than the broker
 * acknowledges in a fraction of that time. Without the first, every message is sent just before its time is up; without
 * the second, it is up while the message waits inside a slow broker. Either way all are sent and none is acknowledged
 * in time.
 *
 * Oldest first, other than the usual last-in first-out, keeps the order, and delivers all of what can be delivered
 * after an outage.
 */
export class Pace {
  readonly #timeoutMs: number
  #most = FIRST
  #window = FIRST
  #usualMs = 0
  /** How long one takes if nothing else is in flight. */
  #aloneMs = Number.POSITIVE_INFINITY

  /** @param timeoutMs - how long a message has */
  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs
  }

  /** How many may be in flight. */
  get window(): number {
    return Math.floor(Math.min(this.#window, this.#most))
  }

  /** How long an acknowledgement takes, in milliseconds. */
  get usualMs(): number {
    return this.#usualMs
  }

  /** What has less time left than this lets others go first, in milliseconds. */
  get leastLeftMs(): number {
    const needed = Math.max(this.#timeoutMs * LEAST_LEFT, 2 * this.#usualMs)
    return Math.min(needed, this.#timeoutMs / 2)
  }

  /** There is a connection, on which at most so many may be in flight. */
  begin(most: number): void {
    this.#most = most
    this.#aloneMs = Number.POSITIVE_INFINITY
  }

  /** A message was acknowledged after so long; whether nothing else was in flight when it was sent. */
  answered(afterMs: number, alone: boolean): void {
    this.#usualMs = Math.max(afterMs, this.#usualMs + (afterMs - this.#usualMs) * WEIGHT)
    if (alone || afterMs < this.#aloneMs) this.#aloneMs = afterMs
    // However few are sent, it does not get quicker than that.
    const isSlow = afterMs > Math.max(this.#timeoutMs * SLOW, 2 * this.#aloneMs)
    // A broker that was found to be slow is no faster because its connection is new: this outlives connections.
    this.#window = isSlow ? Math.max(1, this.window * BRAKE) : Math.max(this.#window, this.window + 1)
  }
}
