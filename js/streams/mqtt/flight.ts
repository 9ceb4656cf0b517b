import { Latency } from '../../base/latency.js'
import { acknowledged, published, resent } from '../../diagnostics/channels.js'
import { Chain } from './chain.js'
import type { Letter, Parcel } from './letter.js'
import { Pace } from './pace.js'
import { isSuspect, type Suspects } from './suspects.js'
import type { Waiting } from './waiting.js'

/** Called once per parcel: with an error when the broker refused it, without when it took it. */
export type Done = (error?: unknown) => void

/** Where parcels go while there is a connection. */
export interface Sink {
  /** Most parcels without an acknowledgement. */
  readonly window: number
  /** Sends one parcel; a throw refuses it. */
  send(topic: string, letter: Letter, done: Done): void
  /** Cuts the connection, as nothing can get through it any more. */
  drop(reason: Error): void
}

/** A broker that answers nothing for this part of a message's time is stuck. */
const STUCK = 1 / 3

/** What is on its way to the broker: a bounded window of parcels. */
export class Flight {
  readonly #waiting: Waiting
  readonly #suspects: Suspects
  readonly #arrived: (parcel: Parcel, error: unknown) => void
  readonly #flying = new Chain<Parcel>()
  readonly #pace: Pace
  readonly #stuckMs: number
  #sink: Sink | undefined
  #sending = false
  #isSuspectFlying = false
  /** When a parcel was last sent or answered. */
  #movedAt = 0
  #resent = 0
  readonly #acknowledge = new Latency()

  constructor(
    waiting: Waiting,
    suspects: Suspects,
    publishTimeoutMs: number,
    arrived: (parcel: Parcel, error: unknown) => void,
  ) {
    this.#waiting = waiting
    this.#suspects = suspects
    this.#arrived = arrived
    this.#pace = new Pace(publishTimeoutMs)
    this.#stuckMs = publishTimeoutMs * STUCK
  }

  /** How many parcels are on their way, given up or not. */
  get size(): number {
    return this.#flying.size
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

  /** Ends it, and returns what was on its way, in the order in which it was sent. */
  detach(): Parcel[] {
    this.#sink = undefined
    const flying = [...this.#flying]
    for (const parcel of flying) this.#flying.remove(parcel)
    return flying
  }

  /** Fills the window. QoS 0 calls back from inside `send`: without the flag that recurses per message. */
  send(now = performance.now()): void {
    if (this.#sending || !this.#sink || this.#isFull()) return
    this.#sending = true
    for (let sink: Sink | undefined = this.#sink; sink; sink = this.#sink) {
      const parcel = this.#waiting.next(now, this.#pace.leastLeftMs, this.#suspects.turn)
      if (!parcel || !this.#hasRoomFor(parcel)) break
      this.#waiting.remove(parcel)
      this.#fly(parcel, sink, now)
    }
    this.#sending = false
  }

  #isFull(): boolean {
    const { size } = this.#flying
    return size >= this.#pace.window || (size > 0 && this.#isSuspectFlying)
  }

  #hasRoomFor(parcel: Parcel): boolean {
    if (this.#flying.size === 0) return true
    return !this.#isFull() && !isSuspect(parcel)
  }

  #fly(parcel: Parcel, sink: Sink, now: number): void {
    const done = (error?: unknown) => {
      // A client that is already replaced may still call back.
      if (this.#sink !== sink || !this.#flying.remove(parcel)) return
      const tookMs = this.#answered(parcel)
      if (error === undefined) {
        this.#suspects.accepted()
        if (acknowledged.hasSubscribers)
          acknowledged.publish({ topic: parcel.topic, bytes: parcel.letter.bytes, tookMs })
      }
      this.#arrived(parcel, error)
      this.send(this.#movedAt)
    }
    const isResent = parcel.sentAt >= 0
    if (isResent) this.#resent++
    const channel = isResent ? resent : published
    if (channel.hasSubscribers) channel.publish({ topic: parcel.topic, bytes: parcel.letter.bytes })
    parcel.sentAt = now
    this.#isSuspectFlying = isSuspect(parcel)
    parcel.isTried = this.#isSuspectFlying && this.#suspects.turn === 'first'
    parcel.alone = this.#flying.size === 0
    this.#movedAt = now
    this.#flying.append(parcel)
    try {
      sink.send(parcel.topic, parcel.letter, done)
    } catch (error) {
      done(error)
    }
  }

  #answered({ sentAt, alone }: Parcel): number {
    this.#movedAt = performance.now()
    const tookMs = this.#movedAt - sentAt
    this.#pace.answered(tookMs, alone)
    this.#acknowledge.record(tookMs)
    return tookMs
  }

  stats() {
    return { inFlight: this.#flying.size, resent: this.#resent, acknowledge: this.#acknowledge.stats() }
  }

  /**
   * A message that was given up keeps its place in the window: the broker still counts it, and would punish
   * one more. A window with no other messages in it, of which none is answered, can only be emptied by a new connection.
   */
  cutWhenStuck(): void {
    const { size } = this.#flying
    if (!this.#sink || size < this.#pace.window || performance.now() - this.#movedAt < this.#stuckMs) return
    for (const parcel of this.#flying) if (!parcel.letter.settled) return
    this.#sink.drop(new Error(`the broker acknowledged none of ${size} messages in time`))
  }
}
