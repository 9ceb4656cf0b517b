import type { MqttClient } from 'mqtt'
import { MAX_TIMEOUT_MS } from '../../../foundation/base/options/schema.js'
import type { Link } from './link.js'

/** Share of a message's timeout between two checks. */
const CHECK_SHARE = 1 / 6
/** Minimum interval, because a busy machine, or a page in the background, answers late. */
const MIN_CHECK_MS = 250
/** Number of checks without a sign of life before the connection is cut. The first of them sends a ping. */
const MAX_SILENT_CHECKS = 3

export interface LivenessHandler {
  /** Returns whether the broker owes us an answer. */
  isAnswerDue(): boolean
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
  readonly #handler: LivenessHandler
  readonly #minIntervalMs: number
  #link: Link | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #hasReceived = false
  #silentChecks = 0
  /** Number of connections cut since the broker last acknowledged a message. */
  #cutConnections = 0

  /** @param timeoutMs - timeout of a message */
  constructor(timeoutMs: number, user: LivenessHandler) {
    this.#minIntervalMs = Math.max(timeoutMs * CHECK_SHARE, MIN_CHECK_MS)
    this.#handler = user
  }

  /** Watches a new connection. */
  watch(link: Link): void {
    this.#link = link
    link.client.on('packetreceive', () => {
      this.#hasReceived = true
    })
  }

  /** Starts the checks. Call it for each packet sent: it costs nothing while the timer runs. */
  startChecks(): void {
    if (this.#timer !== undefined) return
    this.#hasReceived = false
    this.#silentChecks = 0
    this.#scheduleCheck()
  }

  /** Records an acknowledgement by the broker. */
  recordAcknowledgement(): void {
    this.#cutConnections = 0
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
  #scheduleCheck(): void {
    const milliseconds = Math.max(this.#minIntervalMs * 2 ** this.#cutConnections, this.#handler.usualMs())
    this.#timer = setTimeout(() => this.#check(milliseconds), Math.min(milliseconds, MAX_TIMEOUT_MS))
  }

  #check(milliseconds: number): void {
    this.#timer = undefined
    if (!this.#handler.isAnswerDue()) return
    this.#silentChecks = this.#hasReceived ? 0 : this.#silentChecks + 1
    this.#hasReceived = false
    if (this.#silentChecks === 1) this.#link?.client.sendPing()
    if (this.#silentChecks < MAX_SILENT_CHECKS) this.#scheduleCheck()
    else this.#end(milliseconds)
  }

  #end(milliseconds: number): void {
    this.#cutConnections++
    const text = `nothing came from the broker for ${Math.round(MAX_SILENT_CHECKS * milliseconds)} ms, not even the answer to a ping`
    this.#handler.giveUp(new Error(text))
  }
}

/**
 * Adds a keep-alive for a receiver (MQTT 5, 3.1.2.10): ends a connection if nothing has arrived since our last ping.
 *
 * @param isFull returns whether nothing is read because there is no room
 */
export function keepAlive(client: MqttClient, isFull: () => boolean): void {
  let hasReceived = false
  client.on('packetreceive', () => {
    hasReceived = true
  })
  const sendPing = client.sendPing.bind(client)
  client.sendPing = () => {
    hasReceived = false
    sendPing()
  }
  const giveUp = client.onKeepaliveTimeout.bind(client)
  // While nothing is read, the answer to our ping is not read either, and mqtt.js would end the connection of every
  // slow consumer. It also does not count other packets as a sign of life.
  client.onKeepaliveTimeout = () => {
    if (!hasReceived && !isFull()) return giveUp()
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
