import type { IConnackPacket } from 'mqtt'
import { unlessAborted } from '../../foundation/base/time/abort.js'
import { TOO_LATE, within } from '../../foundation/base/time/timeout.js'
import { platform } from '../../foundation/platform/platform.js'
import { type Link, reasonOf } from '../streams/mqtt/link.js'

export type Qos = 0 | 1 | 2

/** Upper bound for the bytes that a PUBLISH packet of a broker check has in addition to its payload. */
export const PUBLISH_OVERHEAD = 256

/** Error thrown when a broker answers with a failure, ends the connection, or does not deliver messages. */
export class RefusedError extends Error {}

/**
 * Handler of a message. Returns false to leave the message unacknowledged. mqtt.js then delivers no more
 * messages.
 */
export type MessageHandler = (topic: string, payload: Uint8Array, isRetained: boolean) => boolean

/** MQTT client of a broker check. Each wait for an answer of the broker has a time limit. */
export class ProbeClient {
  readonly #link: Link
  readonly #answerMs: number
  readonly #signal: AbortSignal
  readonly connack: IConnackPacket

  constructor(link: Link, connack: IConnackPacket, answerMs: number, signal: AbortSignal) {
    this.#link = link
    this.connack = connack
    this.#answerMs = answerMs
    this.#signal = signal
  }

  get version(): 4 | 5 {
    return this.#link.version
  }

  get receiveMaximum(): number {
    return this.#link.receiveMaximum
  }

  /** Maximum size of a payload in bytes, according to the broker's CONNACK (MQTT 5, 3.2.2.3.6). */
  get maximumMessage(): number {
    const { maximumPacketSize = Number.POSITIVE_INFINITY } = this.connack.properties ?? {}
    return maximumPacketSize - PUBLISH_OVERHEAD
  }

  get lost(): Promise<Error> {
    return this.#link.lost
  }

  /**
   * Publishes a message and resolves when the broker has acknowledged it.
   *
   * @throws RefusedError if the broker refuses the message or ends the connection
   */
  publish(topic: string, payload: Uint8Array, qos: Qos, retain = false): Promise<void> {
    // Let messages expire at the broker, because a check that is killed cannot remove them.
    const properties = this.version === 5 ? { properties: { messageExpiryInterval: EXPIRY_SECONDS } } : {}
    return this.#request('PUBLISH', (resolve, reject) => {
      this.#link.client.publish(
        topic,
        platform.mqttView(payload),
        { qos, retain, ...properties },
        (error) => {
          if (!error) return resolve()
          // Ignore an error without a reason code, because the connection is ending, and `lost` has the
          // reason.
          if ('code' in error) reject(new RefusedError(`the broker refused the message: ${error.message}`))
        },
      )
    })
  }

  /**
   * Subscribes to a filter.
   *
   * @returns the QoS that the broker grants
   * @throws RefusedError if the broker refuses the subscription or ends the connection
   */
  subscribe(filter: string, qos: Qos): Promise<Qos> {
    return this.#request('SUBSCRIBE', (resolve, reject) => {
      this.#link.client.subscribe(filter, { qos }, (error, granted) => {
        const given = granted?.[0]?.qos
        if (!error && given !== undefined && given <= 2) return resolve(given as Qos)
        if (error && !('packet' in error)) return
        reject(
          new RefusedError(
            `the broker refused the subscription: ${error ? error.message : `reason ${given}`}`,
          ),
        )
      })
    })
  }

  whenLost(): Promise<Error> {
    return unlessAborted(this.#link.lost, this.#signal)
  }

  async sees(event: Promise<unknown>, milliseconds: number): Promise<boolean> {
    return (await within(unlessAborted(event, this.#signal), milliseconds)) !== TOO_LATE
  }

  /**
   * Returns whether `event` happens before `behind`, or at most 500 ms after `behind`. Waits for `behind` and
   * not for a fixed time, so that slow brokers do not fail.
   *
   * @throws Error if neither event happens within the time limit for an answer
   */
  async seesBefore(behind: Promise<unknown>, event: Promise<unknown>): Promise<boolean> {
    if (!(await this.sees(Promise.race([event, behind]), this.#answerMs))) {
      throw new Error(`the broker delivered nothing within ${this.#answerMs} ms`)
    }
    return this.sees(event, GRACE_MS)
  }

  end(): Promise<void> {
    return this.#link.end()
  }

  /** Cuts the connection without DISCONNECT, as a killed process does. */
  cut(): void {
    this.#link.drop(new Error('cut by the check'))
  }

  async #request<T>(
    packetType: string,
    ask: (resolve: (value: T) => void, reject: (error: Error) => void) => void,
  ): Promise<T> {
    const answer = new Promise<T>((resolve, reject) => {
      ask(resolve, reject)
      this.#link.lost.then((reason) =>
        reject(new RefusedError(`the broker ended the connection at ${packetType}: ${reasonOf(reason)}`)),
      )
    })
    const result = await within(unlessAborted(answer, this.#signal), this.#answerMs)
    if (result === TOO_LATE)
      throw new Error(`the broker did not answer ${packetType} within ${this.#answerMs} ms`)
    return result
  }
}

const EXPIRY_SECONDS = 3600
/** Extra wait in milliseconds, because some brokers reorder messages from different publishers. */
const GRACE_MS = 500
