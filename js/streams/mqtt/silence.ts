import { LONGEST_TIMEOUT } from '../../base/schema.js'
import type { Link } from './link.js'

/** How often we look, as a part of the time that a message has. */
const LOOK = 1 / 6
/** But not more often: a busy machine, and a page in the background, answer late. */
const LEAST_MS = 250
/** Looks without a sign of life, after the first of which we ask, until the connection is given up. */
const LOOKS = 3

/** What is watched. */
export interface Watched {
  /** Whether the broker owes us an answer. */
  isOwed(): boolean
  /** How long an acknowledgement takes, in milliseconds. */
  usualMs(): number
  /** Ends the connection. */
  giveUp(reason: Error): void
}

/**
 * Notices when a broker that owes us an answer has fallen silent. One that is alive answers a ping, however busy it is
 * with messages; from a connection that is half open nothing comes, and TCP finds out after a quarter of an hour.
 * mqtt.js asks after a minute without publishing, which may never come.
 */
export class Silence {
  readonly #watched: Watched
  readonly #shortestMs: number
  #link: Link | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #heard = false
  #silentLooks = 0
  /** Connections given up since the broker last acknowledged something. */
  #givenUp = 0

  /** @param timeoutMs - how long a message has */
  constructor(timeoutMs: number, watched: Watched) {
    this.#shortestMs = Math.max(timeoutMs * LOOK, LEAST_MS)
    this.#watched = watched
  }

  /** A connection that is there. */
  begin(link: Link): void {
    this.#link = link
    link.client.on('packetreceive', () => {
      this.#heard = true
    })
  }

  /** Something has been sent: call it each time, it costs nothing while the timer runs. */
  listen(): void {
    if (this.#timer !== undefined) return
    this.#heard = false
    this.#silentLooks = 0
    this.#lookLater()
  }

  /** The broker has acknowledged something. */
  broken(): void {
    this.#givenUp = 0
  }

  /** The connection is gone. */
  end(): void {
    this.#link = undefined
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  /** A message that takes long to get through a slow link, with a ping behind it, gets its time. */
  #lookLater(): void {
    const milliseconds = Math.max(this.#shortestMs * 2 ** this.#givenUp, this.#watched.usualMs())
    this.#timer = setTimeout(() => this.#look(milliseconds), Math.min(milliseconds, LONGEST_TIMEOUT))
  }

  #look(milliseconds: number): void {
    this.#timer = undefined
    if (!this.#watched.isOwed()) return
    this.#silentLooks = this.#heard ? 0 : this.#silentLooks + 1
    this.#heard = false
    if (this.#silentLooks === 1) this.#link?.client.sendPing()
    if (this.#silentLooks < LOOKS) this.#lookLater()
    else this.#end(milliseconds)
  }

  #end(milliseconds: number): void {
    this.#givenUp++
    const text = `nothing came from the broker for ${Math.round(LOOKS * milliseconds)} ms, not even the answer to a ping`
    this.#watched.giveUp(new Error(text))
  }
}
