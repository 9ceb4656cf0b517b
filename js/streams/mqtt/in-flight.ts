import { Latency } from '../../base/latency.js'
import { acknowledged, published, resent } from '../../diagnostics/channels.js'
import { Chain } from './chain.js'
import { Pace } from './pace.js'
import { isSuspect, type PoisonDetector } from './poison.js'
import type { Publication, QueuedMessage } from './queued-message.js'
import type { Schedule } from './schedule.js'

/** Called once for each publication: with an error if the broker refused it, without if it accepted it. */
export type Done = (error?: unknown) => void

/** Where publications go while there is a connection. */
export interface Sink {
  /** Most publications without an acknowledgement. */
  readonly window: number
  /** Sends one publication; a throw refuses it. */
  send(topic: string, queued: QueuedMessage, done: Done): void
  /** Cuts the connection, as nothing can get through it any more. */
  drop(reason: Error): void
}

/** A broker that answers nothing for this part of a message's time is stuck. */
const STUCK = 1 / 3

/** The in-flight window: publications that were sent and not acknowledged, no more than the broker allows. */
export class InFlight {
  readonly #schedule: Schedule
  readonly #poison: PoisonDetector
  readonly #arrived: (publication: Publication, error: unknown) => void
  readonly #publications = new Chain<Publication>()
  readonly #pace: Pace
  readonly #stuckMs: number
  #sink: Sink | undefined
  #sending = false
  #isSuspectInFlight = false
  /** When a publication was last sent or answered. */
  #movedAt = 0
  #resent = 0
  readonly #acknowledge = new Latency()

  constructor(
    schedule: Schedule,
    poison: PoisonDetector,
    publishTimeoutMs: number,
    arrived: (publication: Publication, error: unknown) => void,
  ) {
    this.#schedule = schedule
    this.#poison = poison
    this.#arrived = arrived
    this.#pace = new Pace(publishTimeoutMs)
    this.#stuckMs = publishTimeoutMs * STUCK
  }

  /** How many publications are in flight, given up or not. */
  get size(): number {
    return this.#publications.size
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
  detach(): Publication[] {
    this.#sink = undefined
    const inFlight = [...this.#publications]
    for (const publication of inFlight) this.#publications.remove(publication)
    return inFlight
  }

  /** Fills the window. QoS 0 calls back from inside `send`: without the flag that recurses per message. */
  send(now = performance.now()): void {
    if (this.#sending || !this.#sink || this.#isFull()) return
    this.#sending = true
    for (let sink: Sink | undefined = this.#sink; sink; sink = this.#sink) {
      const publication = this.#schedule.next(now, this.#pace.leastLeftMs, this.#poison.turn)
      if (!publication || !this.#hasRoomFor(publication)) break
      this.#schedule.remove(publication)
      this.#sendOne(publication, sink, now)
    }
    this.#sending = false
  }

  #isFull(): boolean {
    const { size } = this.#publications
    return size >= this.#pace.window || (size > 0 && this.#isSuspectInFlight)
  }

  #hasRoomFor(publication: Publication): boolean {
    if (this.#publications.size === 0) return true
    return !this.#isFull() && !isSuspect(publication)
  }

  #sendOne(publication: Publication, sink: Sink, now: number): void {
    const done = (error?: unknown) => {
      // A client that is already replaced may still call back.
      if (this.#sink !== sink || !this.#publications.remove(publication)) return
      const tookMs = this.#answered(publication)
      if (error === undefined) {
        this.#poison.accepted()
        if (acknowledged.hasSubscribers)
          acknowledged.publish({ topic: publication.topic, bytes: publication.queued.bytes, tookMs })
      }
      this.#arrived(publication, error)
      this.send(this.#movedAt)
    }
    const isResent = publication.sentAt >= 0
    if (isResent) this.#resent++
    const channel = isResent ? resent : published
    if (channel.hasSubscribers) channel.publish({ topic: publication.topic, bytes: publication.queued.bytes })
    publication.sentAt = now
    this.#isSuspectInFlight = isSuspect(publication)
    publication.isTried = this.#isSuspectInFlight && this.#poison.turn === 'first'
    publication.isAlone = this.#publications.size === 0
    this.#movedAt = now
    this.#publications.append(publication)
    try {
      sink.send(publication.topic, publication.queued, done)
    } catch (error) {
      done(error)
    }
  }

  #answered({ sentAt, isAlone }: Publication): number {
    this.#movedAt = performance.now()
    const tookMs = this.#movedAt - sentAt
    this.#pace.answered(tookMs, isAlone)
    this.#acknowledge.record(tookMs)
    return tookMs
  }

  stats() {
    return { inFlight: this.#publications.size, resent: this.#resent, acknowledge: this.#acknowledge.stats() }
  }

  /**
   * A message that was given up keeps its place in the window: the broker still counts it, and would punish
   * one more. A window with no other messages in it, of which none is answered, can only be emptied by a new connection.
   */
  cutWhenStuck(): void {
    const { size } = this.#publications
    if (!this.#sink || size < this.#pace.window || performance.now() - this.#movedAt < this.#stuckMs) return
    for (const publication of this.#publications) if (!publication.queued.settled) return
    this.#sink.drop(new Error(`the broker acknowledged none of ${size} messages in time`))
  }
}
