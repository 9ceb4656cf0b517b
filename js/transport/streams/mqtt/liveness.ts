import type { MqttClient } from 'mqtt'
import { MAX_TIMEOUT_MS } from '../../../foundation/base/options/schema.js'
import type { Link } from './link.js'

/** Share of a message's timeout between two checks. */
const LOOK = 1 / 6
/** Minimum interval, because a busy machine, or a page in the background, answers late. */
const LEAST_MS = 250
/** Number of checks without a sign of life before the connection is cut. The first of them sends a ping. */
const LOOKS = 3

export interface LivenessUser {
  /** Returns whether the broker owes us an answer. */
  isOwed(): boolean
  /** Returns the usual time until an acknowledgement, in milliseconds. */
  usualMs(): number
  /** Ends the connection. */
  giveUp(reason: Error): void
}

/**
 * Detects a dead broker while it owes us an answer. A live broker answers a ping, however busy it is with messages.
 * Nothing arrives over a half-open connection, and TCP notices only after a quarter of an hour. The pings of mqtt.js
 * begin after a minute without publishing, which may never occur.
 */
export class Liveness {
  readonly #user: LivenessUser
  readonly #shortestMs: number
  #link: Link | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #heard = false
  #silentLooks = 0
  /** Number of connections cut since the broker last acknowledged a message. */
  #givenUp = 0

  /** @param timeoutMs - timeout of a message */
  constructor(timeoutMs: number, user: LivenessUser) {
    this.#shortestMs = Math.max(timeoutMs * LOOK, LEAST_MS)
    this.#user = user
  }

  /** Watches a new connection. */
  begin(link: Link): void {
    this.#link = link
    link.client.on('packetreceive', () => {
      this.#heard = true
    })
  }

  /** Starts the checks. Call it for each packet sent: it costs nothing while the timer runs. */
  listen(): void {
    if (this.#timer !== undefined) return
    this.#heard = false
    this.#silentLooks = 0
    this.#lookLater()
  }

  /** Records an acknowledgement by the broker. */
  acknowledged(): void {
    this.#givenUp = 0
  }

  /** Ends the checks, because the connection is gone. */
  end(): void {
    this.#link = undefined
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  /**
   * Schedules the next check. Later connections get longer, because a large message, with a ping behind it, takes long
   * over a slow link.
   */
  #lookLater(): void {
    const milliseconds = Math.max(this.#shortestMs * 2 ** this.#givenUp, this.#user.usualMs())
    this.#timer = setTimeout(() => this.#look(milliseconds), Math.min(milliseconds, MAX_TIMEOUT_MS))
  }

  #look(milliseconds: number): void {
    this.#timer = undefined
    if (!this.#user.isOwed()) return
    this.#silentLooks = this.#heard ? 0 : this.#silentLooks + 1
    this.#heard = false
    if (this.#silentLooks === 1) this.#link?.client.sendPing()
    if (this.#silentLooks < LOOKS) this.#lookLater()
    else this.#end(milliseconds)
  }

  #end(milliseconds: number): void {
    this.#givenUp++
    const text = `nothing came from the broker for ${Math.round(LOOKS * milliseconds)} ms, not even the answer to a ping`
    this.#user.giveUp(new Error(text))
  }
}

/**
 * Adds a keep-alive for a receiver (MQTT 5, 3.1.2.10): ends a connection if nothing has arrived since our last ping.
 *
 * @param isFull returns whether nothing is read because there is no room
 */
export function keepAlive(client: MqttClient, isFull: () => boolean): void {
  let heard = false
  client.on('packetreceive', () => {
    heard = true
  })
  const sendPing = client.sendPing.bind(client)
  client.sendPing = () => {
    heard = false
    sendPing()
  }
  const giveUp = client.onKeepaliveTimeout.bind(client)
  // While nothing is read, the answer to our ping is not read either, and mqtt.js would end the connection of every
  // slow consumer. It also does not count other packets as a sign of life.
  client.onKeepaliveTimeout = () => {
    if (!heard && !isFull()) return giveUp()
    client.sendPing()
    client.reschedulePing(true)
  }
}

/** Pings the broker. Resolves with its answer, when everything sent before has reached it. */
export function ping(client: MqttClient): Promise<void> {
  return new Promise((resolve) => {
    const listen = ({ cmd }: { cmd?: string | undefined }) => {
      if (cmd !== 'pingresp') return
      client.off('packetreceive', listen)
      resolve()
    }
    client.on('packetreceive', listen)
    client.sendPing()
  })
}
