import type { IConnackPacket, IPublishPacket, MqttClient } from 'mqtt'
import { unlessAborted } from '../base/time/abort.js'
import { TOO_LATE, within } from '../base/time/timeout.js'
import { platform } from '../platform/platform.js'
import { type Link, reasonOf } from '../streams/mqtt/link.js'

export type Qos = 0 | 1 | 2

/** Bytes that a PUBLISH has around its message, with our topic and properties. */
export const PUBLISH_OVERHEAD = 256

/** The broker has answered no, or has hung up. */
export class Refused extends Error {}

/** Takes a message. What it returns says whether to acknowledge it; nothing more comes behind one that is not. */
export type Take = (topic: string, payload: Uint8Array, isRetained: boolean) => boolean

/** Lets `take` see each message of a client, from the first on. */
export function receiveWith(client: MqttClient, take: Take): void {
  client.handleMessage = ({ topic, payload, retain }: IPublishPacket, acknowledge) => {
    if (take(topic, payload as Uint8Array, retain)) acknowledge()
  }
}

/** One client of a check: every answer is waited for, for a bounded time. */
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

  /** How many messages may be on their way without an acknowledgement. */
  get receiveMaximum(): number {
    return this.#link.receiveMaximum
  }

  /** Most bytes of a message that the broker takes, as it announces (MQTT 5, 3.2.2.3.6). */
  get maximumMessage(): number {
    const { maximumPacketSize = Number.POSITIVE_INFINITY } = this.connack.properties ?? {}
    return maximumPacketSize - PUBLISH_OVERHEAD
  }

  /** Resolves with the reason when the connection is over. */
  get lost(): Promise<Error> {
    return this.#link.lost
  }

  /**
   * Resolves when the broker has acknowledged the message.
   *
   * @throws Refused
   */
  publish(topic: string, payload: Uint8Array, qos: Qos, retain = false): Promise<void> {
    // What a check that is killed leaves at the broker does not stay for ever.
    const properties = this.version === 5 ? { properties: { messageExpiryInterval: EXPIRY_SECONDS } } : {}
    return this.#answered('PUBLISH', (resolve, reject) => {
      this.#link.client.publish(
        topic,
        platform.mqttView(payload),
        { qos, retain, ...properties },
        (error) => {
          if (!error) return resolve()
          // Without a reason code the connection is ending, and `lost` says why.
          if ('code' in error) reject(new Refused(`the broker refused the message: ${error.message}`))
        },
      )
    })
  }

  /**
   * @returns the QoS that the broker grants
   * @throws Refused
   */
  subscribe(filter: string, qos: Qos): Promise<Qos> {
    return this.#answered('SUBSCRIBE', (resolve, reject) => {
      this.#link.client.subscribe(filter, { qos }, (error, granted) => {
        const given = granted?.[0]?.qos
        if (!error && given !== undefined && given <= 2) return resolve(given as Qos)
        if (error && !('packet' in error)) return
        reject(
          new Refused(`the broker refused the subscription: ${error ? error.message : `reason ${given}`}`),
        )
      })
    })
  }

  /** Resolves when the connection is over, however long that takes. */
  over(): Promise<Error> {
    return unlessAborted(this.#link.lost, this.#signal)
  }

  /** Whether something happens in time. */
  async sees(event: Promise<unknown>, milliseconds: number): Promise<boolean> {
    return (await within(unlessAborted(event, this.#signal), milliseconds)) !== TOO_LATE
  }

  /**
   * Whether something happens: until a while after something that comes behind it. So a slow broker is not taken for one that
   * does nothing.
   */
  async seesBefore(behind: Promise<unknown>, event: Promise<unknown>): Promise<boolean> {
    if (!(await this.sees(Promise.race([event, behind]), this.#answerMs))) {
      throw new Error(`the broker delivered nothing within ${this.#answerMs} ms`)
    }
    return this.sees(event, GRACE_MS)
  }

  /** Says goodbye. */
  end(): Promise<void> {
    return this.#link.end()
  }

  /** Cuts the connection, as the death of a process does. */
  cut(): void {
    this.#link.drop(new Error('cut by the check'))
  }

  async #answered<T>(
    what: string,
    ask: (resolve: (value: T) => void, reject: (error: Error) => void) => void,
  ): Promise<T> {
    const answer = new Promise<T>((resolve, reject) => {
      ask(resolve, reject)
      this.#link.lost.then((reason) =>
        reject(new Refused(`the broker ended the connection at ${what}: ${reasonOf(reason)}`)),
      )
    })
    const answered = await within(unlessAborted(answer, this.#signal), this.#answerMs)
    if (answered === TOO_LATE)
      throw new Error(`the broker did not answer ${what} within ${this.#answerMs} ms`)
    return answered
  }
}

const EXPIRY_SECONDS = 3600
/** For brokers that keep no order among what they deliver for different reasons. */
const GRACE_MS = 500
