import type { MqttClient } from 'mqtt'
import { LONGEST_TIMEOUT } from '../../base/options/schema.js'
import type { Link } from './link.js'

/** How often we look, as a part of the time that a message has. */
const LOOK = 1 / 6
/** But not more often: a busy machine, and a page in the background, answer late. */
const LEAST_MS = 250
/** After so many looks without a sign of life, the connection is given up. After the first, we ping. */
const LOOKS = 3

/** What a {@link Liveness} asks, and who hears from it. */
export interface LivenessUser {
  /** Whether the broker owes us an answer. */
  isOwed(): boolean
  /** How long an acknowledgement takes, in milliseconds. */
  usualMs(): number
  /** Ends the connection. */
  giveUp(reason: Error): void
}

/**
 * Notices when a broker that owes us an answer is not alive any more. One that is alive answers a ping, however busy it is
 * with messages; from a connection that is half open nothing comes, and TCP finds out after a quarter of an hour.
 * mqtt.js asks after a minute without publishing, which may never come.
 */
export class Liveness {
  readonly #user: LivenessUser
  readonly #shortestMs: number
  #link: Link | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #heard = false
  #silentLooks = 0
  /** Connections given up since the broker last acknowledged something. */
  #givenUp = 0

  /** @param timeoutMs - how long a message has */
  constructor(timeoutMs: number, user: LivenessUser) {
    this.#shortestMs = Math.max(timeoutMs * LOOK, LEAST_MS)
    this.#user = user
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
  acknowledged(): void {
    this.#givenUp = 0
  }

  /** The connection is gone. */
  end(): void {
    this.#link = undefined
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  /** Gives a message time that takes long to get through a slow link, with a ping behind it. */
  #lookLater(): void {
    const milliseconds = Math.max(this.#shortestMs * 2 ** this.#givenUp, this.#user.usualMs())
    this.#timer = setTimeout(() => this.#look(milliseconds), Math.min(milliseconds, LONGEST_TIMEOUT))
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
 * Keep-alive for a receiver (MQTT 5, 3.1.2.10): ends a connection on which nothing has come from the broker since our last ping.
 *
 * @param isFull whether nothing is read for want of room
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
  // While nothing is read for want of room, the answer to our ping is not either, and mqtt.js would end the
  // connection of every slow consumer. It also does not count other packets as a sign of life.
  client.onKeepaliveTimeout = () => {
    if (!heard && !isFull()) return giveUp()
    client.sendPing()
    client.reschedulePing(true)
  }
}

/** Pings the broker, and resolves with its answer: what we have sent before has reached it. */
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
