import { onAbort } from '../../base/abort.js'
import { AlvariumError } from '../../base/errors.js'
import { givenUp } from '../../diagnostics/channels.js'
import type { StreamStats } from '../stats.js'
import type { PublishOptions, StreamRoom } from '../stream.js'
import { Chain } from './chain.js'
import { Deadlines } from './deadlines.js'
import { Flight, type Sink } from './flight.js'
import { Letter, type Parcel } from './letter.js'
import { Room, type RoomOptions } from './room.js'
import { Suspects } from './suspects.js'
import { Waiting } from './waiting.js'

export interface QueueOptions extends RoomOptions {
  readonly topic: readonly string[]
  readonly qos: 0 | 1 | 2
  readonly publishTimeoutMs: number
}

const NOTHING = new Uint8Array(0)

/**
 * Takes messages, bounded in number and bytes, sends them through a bounded window while there is a
 * connection, and sees to it that every promise settles. mqtt.js does none of the three: it ignores Receive
 * Maximum (a broker that allows 10 answers 5,000 publishes with DISCONNECT 0x93 and none is accepted), its
 * queues are unbounded (121 MB for a stalled broker), and a QoS 0 publish can stay pending for ever.
 */
export class Queue {
  readonly #options: QueueOptions
  readonly #waiting: Waiting
  readonly #flight: Flight
  readonly #suspects: Suspects
  /** All that have not settled, the oldest first. */
  readonly #letters = new Chain<Letter>()
  readonly #deadlines: Deadlines
  readonly #room: Room
  readonly #figures = { acknowledged: 0, timedOut: 0, refused: 0 }
  #isOnline = false
  #whyOffline: Error | undefined
  #whenEmpty: (() => void) | undefined
  #whenCalm: ReturnType<typeof setTimeout> | undefined

  constructor(options: QueueOptions) {
    const { publishTimeoutMs } = options
    this.#options = options
    this.#room = new Room(options, (letter) => this.#admit(letter))
    this.#waiting = new Waiting(publishTimeoutMs)
    this.#suspects = new Suspects(publishTimeoutMs)
    this.#flight = new Flight(this.#waiting, this.#suspects, publishTimeoutMs, (parcel, error) =>
      this.#arrived(parcel, error),
    )
    this.#deadlines = new Deadlines(this.#letters, publishTimeoutMs, (letter) => this.#expire(letter))
  }

  /**
   * Resolves when every topic has the message.
   *
   * @throws AlvariumError `QUEUE_FULL`, `STREAM_TIMEOUT`, `STREAM_LOST` (QoS 0), `STREAM_REFUSED`, `STREAM_UNAVAILABLE`,
   * `STREAM_SUSPECT`; or the signal's reason
   */
  add(message: Uint8Array, { signal, contentType }: PublishOptions = {}): Promise<void> {
    if (signal?.aborted) return Promise.reject(signal.reason)
    const letter = new Letter(exactBytes(message), contentType, this.#options.topic)
    // Nothing in here may name the message: who keeps the letter would keep its bytes.
    return new Promise((resolve, reject) => {
      // First of all: what is no signal throws, and what is in the room or the chain has to be able to settle.
      const end = signal && onAbort(signal, () => this.#giveUp(letter, signal.reason))
      letter.settle = (error?: unknown) => {
        // Several topics may refuse it, and a broker what was given up long ago: one of them is told.
        if (letter.settled) return
        this.#forget(letter)
        end?.()
        if (error === undefined) resolve()
        else reject(tellOf(letter, error))
      }
      const full = this.#room.enter(letter)
      if (full) {
        end?.()
        reject(tellOf(letter, full))
        return
      }
      this.#letters.append(letter)
      this.#deadlines.watch()
      this.#flight.send(letter.acceptedAt)
    })
  }

  /** Whether nothing waits, neither to be sent nor for an acknowledgement. */
  get isEmpty(): boolean {
    return this.#letters.size === 0
  }

  /** What is on its way. */
  get flight(): Pick<Flight, 'size' | 'usualMs'> {
    return this.#flight
  }

  /**
   * A connection is there.
   *
   * @param atOnce - after a lost one, with the first attempt
   */
  attach(sink: Sink, atOnce = true): void {
    this.#isOnline = true
    const { alone, isGuilty } = this.#suspects.back(atOnce)
    if (alone && isGuilty) this.#convict(alone)
    else if (alone) this.#waiting.hold(alone)
    this.#flight.attach(sink)
    if (this.#waiting.isHolding) this.#whenCalm = setTimeout(() => this.#calm(), this.#suspects.calmMs)
  }

  /**
   * The connection is gone. What it has not acknowledged is sent again; with QoS 0 it is lost.
   *
   * @param isCut - we have cut it ourselves
   */
  detach(reason: Error, isCut = false): void {
    this.offline(reason)
    clearTimeout(this.#whenCalm)
    const lost = this.#flight.detach()
    for (const parcel of [...lost].reverse()) this.#returned(parcel, reason)
    const { named, areOthersAcquitted } = this.#suspects.ended({ lost, reason, isCut })
    if (named) this.#refuse(named, reason)
    if (areOthersAcquitted) this.#waiting.release()
  }

  /** Why there is no connection, or still none. */
  offline(reason: Error): void {
    this.#isOnline = false
    this.#whyOffline = reason
  }

  /** Resolves when every message has settled, at the latest after so many milliseconds. */
  drained(withinMs: number): Promise<void> {
    if (this.#letters.size === 0) return Promise.resolve()
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(end, withinMs)
      this.#whenEmpty = end
    })
  }

  /** Rejects what is left. */
  clear(error: AlvariumError): void {
    this.#deadlines.stop()
    clearTimeout(this.#whenCalm)
    this.#room.close(error)
    for (let { first } = this.#letters; first; first = this.#letters.first) first.settle(error)
  }

  /** Resolves when there is room for another message. */
  ready(): Promise<void> {
    return this.#room.ready()
  }

  hasRoom(more: StreamRoom): true | Promise<void> {
    return this.#room.hasRoom(more)
  }

  /** What became of the messages, and what there is now. */
  stats(): Omit<StreamStats, 'online' | 'reconnects'> {
    const { size: queued, first: oldest } = this.#letters
    const { inFlight, resent, acknowledge } = this.#flight.stats()
    return {
      queued,
      waitingForRoom: queued - this.#room.count,
      bytes: this.#room.bytes,
      oldestMs: oldest ? performance.now() - oldest.acceptedAt : 0,
      inFlight,
      ...this.#figures,
      resent,
      lastError: this.#whyOffline?.message,
      acknowledge,
    }
  }

  #calm(): void {
    this.#suspects.calm()
    this.#flight.send()
  }

  #admit(letter: Letter): void {
    for (const parcel of letter.parcels) this.#waiting.add(parcel)
  }

  /** Takes a letter out, except what of it is on its way. */
  #forget(letter: Letter): void {
    letter.settled = true
    letter.message = NOTHING
    for (const parcel of letter.parcels) this.#waiting.remove(parcel)
    this.#letters.remove(letter)
    this.#room.leave(letter)
    if (this.#letters.size === 0) this.#whenEmpty?.()
  }

  #arrived({ letter }: Parcel, error: unknown): void {
    if (error !== undefined) this.#rejected(letter, error)
    else if (--letter.missing === 0) this.#accepted(letter)
  }

  #accepted(letter: Letter): void {
    if (!letter.settled) this.#figures.acknowledged++
    letter.settle()
  }

  #rejected(letter: Letter, error: unknown): void {
    if (!letter.settled) this.#figures.refused++
    letter.settle(error)
  }

  /** It makes room, of which another can make use at once. */
  #giveUp(letter: Letter, reason: unknown): void {
    letter.settle(reason)
    this.#flight.send()
  }

  #returned(parcel: Parcel, reason: Error): void {
    const { letter } = parcel
    const text = `mqtt: the connection was lost before the message was sent: ${reason.message}`
    if (this.#options.qos === 0) letter.settle(new AlvariumError('STREAM_LOST', text, { cause: reason }))
    else if (!letter.settled) this.#waiting.putBack(parcel)
  }

  #refuse({ letter, topic }: Parcel, reason: Error): void {
    const text = `${expectedFor(letter, topic)}, got: ${reason.message}`
    this.#rejected(letter, new AlvariumError('STREAM_REFUSED', text, { cause: reason }))
  }

  #convict({ letter, topic, losses }: Parcel): void {
    const text = `${expectedFor(letter, topic)}, but the connection ended each of the ${losses} times that they were sent, and other messages were accepted in between: ${this.#whyOffline?.message}`
    this.#rejected(letter, new AlvariumError('STREAM_SUSPECT', text, { cause: this.#whyOffline }))
  }

  #expire(letter: Letter): void {
    const { publishTimeoutMs } = this.#options
    const why = this.#whyOffline ? `: ${this.#whyOffline.message}` : ' yet'
    const state = this.#isOnline ? '' : `, the broker is not connected${why}`
    const text = `mqtt: expected the broker to accept the message within ${publishTimeoutMs} ms${state}`
    this.#figures.timedOut++
    this.#giveUp(letter, new AlvariumError('STREAM_TIMEOUT', text, { cause: this.#whyOffline }))
    this.#flight.cutWhenStuck()
  }
}

function expectedFor({ bytes }: Letter, topic: string): string {
  return `mqtt: expected the broker to accept ${bytes} bytes for ${JSON.stringify(topic)}`
}

function tellOf<Reason>({ bytes }: Letter, error: Reason): Reason {
  if (givenUp.hasSubscribers) givenUp.publish({ bytes, error })
  return error
}

/** mqtt.js clones the whole buffer under a view: 13 ms per message for a view of 16 MiB of memory. */
function exactBytes(message: Uint8Array): Uint8Array {
  return message.length === message.buffer.byteLength ? message : new Uint8Array(message)
}
