import type { MqttClient } from 'mqtt'
import { MAX_TIMEOUT_MS } from '../../../foundation/base/options/schema.js'
import type { InFlight } from './in-flight.js'
import type { Link } from './link.js'

/** Time between two checks, as a share of a message's timeout. */
const CHECK_SHARE = 1 / 6
/** Minimum milliseconds between two checks, because busy machines and background pages handle packets late. */
const MIN_CHECK_MS = 250
/**
 * Number of consecutive checks without a received packet that cut the connection. The first of them sends a
 * ping.
 */
const MAX_SILENT_CHECKS = 3

/**
 * Detector of a dead connection while acknowledgements are missing. A live broker answers a ping, however
 * busy it is. TCP reports a half-open connection only after a quarter of an hour. mqtt.js pings only after a
 * minute without publishing, and such a pause may never occur.
 */
export class Liveness {
  readonly #inFlight: Pick<InFlight, 'size' | 'usualMs'>
  readonly #giveUp: (reason: Error) => void
  readonly #minIntervalMs: number
  #link: Link | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #hasReceived = false
  #silentChecks = 0
  /** Number of connections cut since the broker last acknowledged a message. */
  #cutConnections = 0

  constructor(
    timeoutMs: number,
    inFlight: Pick<InFlight, 'size' | 'usualMs'>,
    giveUp: (reason: Error) => void,
  ) {
    this.#minIntervalMs = Math.max(timeoutMs * CHECK_SHARE, MIN_CHECK_MS)
    this.#inFlight = inFlight
    this.#giveUp = giveUp
  }

  watch(link: Link): void {
    this.#link = link
    link.client.on('packetreceive', () => {
      this.#hasReceived = true
    })
  }

  /** Starts the checks, unless they run. The publisher calls this for each packet. */
  startChecks(): void {
    if (this.#timer !== undefined) return
    this.#hasReceived = false
    this.#silentChecks = 0
    this.#scheduleCheck()
  }

  recordAcknowledgement(): void {
    this.#cutConnections = 0
  }

  end(): void {
    this.#link = undefined
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  /**
   * Schedules the next check. Each cut connection doubles the interval: on a slow link, a large message
   * delays the ping.
   */
  #scheduleCheck(): void {
    const milliseconds = Math.max(this.#minIntervalMs * 2 ** this.#cutConnections, this.#inFlight.usualMs)
    this.#timer = setTimeout(() => this.#check(milliseconds), Math.min(milliseconds, MAX_TIMEOUT_MS))
  }

  #check(milliseconds: number): void {
    this.#timer = undefined
    if (this.#inFlight.size === 0) return
    this.#silentChecks = this.#hasReceived ? 0 : this.#silentChecks + 1
    this.#hasReceived = false
    if (this.#silentChecks === 1) this.#link?.client.sendPing()
    if (this.#silentChecks < MAX_SILENT_CHECKS) this.#scheduleCheck()
    else this.#end(milliseconds)
  }

  #end(milliseconds: number): void {
    this.#cutConnections++
    const text = `nothing came from the broker for ${Math.round(MAX_SILENT_CHECKS * milliseconds)} ms, not even the answer to a ping`
    this.#giveUp(new Error(text))
  }
}

/**
 * Makes a receiver end its connection if no packet has arrived since the last ping (MQTT 5, 3.1.2.10), unless
 * its inbox is full.
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
  // A slow consumer stops reading, and so does not read the answer to a ping. Unlike mqtt.js, count every
  // packet.
  client.onKeepaliveTimeout = () => {
    if (!hasReceived && !isFull()) return giveUp()
    client.sendPing()
    client.reschedulePing(true)
  }
}

/** Pings the broker. Resolves when the broker has answered, and so has received all earlier packets. */
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
