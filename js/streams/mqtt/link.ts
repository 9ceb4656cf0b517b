import type { IConnackPacket, MqttClient } from 'mqtt'
import { codeOf, textOf } from '../../base/errors.js'
import { ReasonError, reasonBy } from './reasons.js'

/** Handing DISCONNECT to the transport and closing it takes a round trip; a dead peer takes for ever. */
const GOODBYE_MS = 1_000

/**
 * One connection, from CONNACK to its end. It never reconnects: mqtt.js' own way back (a fixed second without
 * jitter, then one round trip per unacknowledged message, and `connect` only after the last) is not used, so
 * everything that mqtt.js remembers of a connection goes with it.
 */
export class Link {
  readonly client: MqttClient
  /** The protocol version that the broker knows. */
  readonly version: 4 | 5
  /** How many unacknowledged messages the broker allows. */
  readonly receiveMaximum: number
  /** The longest packet that the broker accepts, in bytes. */
  readonly maximumPacketSize: number
  /** Whether the broker says of a message by which subscription it comes. */
  readonly hasSubscriptionIds: boolean
  /** What else the broker allows, in CONNACK's properties. */
  readonly grants: NonNullable<IConnackPacket['properties']>
  /** Resolves with the reason when the connection is over. */
  readonly lost: Promise<Error>
  #lose: (reason: Error) => void = () => {}
  #reason: Error | undefined

  constructor(client: MqttClient, { properties = {} }: IConnackPacket) {
    this.client = client
    this.version = client.options.protocolVersion === 5 ? 5 : 4
    this.grants = properties
    this.receiveMaximum = properties.receiveMaximum ?? 65_535
    this.maximumPacketSize = properties.maximumPacketSize ?? Number.POSITIVE_INFINITY
    this.hasSubscriptionIds = this.version === 5 && properties.subscriptionIdentifiersAvailable !== false
    this.lost = new Promise((resolve) => {
      this.#lose = resolve
    })
    this.#listen()
  }

  /** Cuts the connection. `lost` resolves at once: mqtt.js' `end()` may never call back. */
  drop(reason: Error): void {
    this.#lose(reason)
    abandon(this.client)
  }

  /** Sends DISCONNECT to the broker, and cuts the connection if that takes too long. */
  end(): Promise<void> {
    const { client } = this
    return new Promise((resolve) => {
      const cut = () => {
        clearTimeout(timer)
        this.drop(new Error('closed by us'))
        resolve()
      }
      const timer = setTimeout(cut, GOODBYE_MS)
      client.once('close', cut)
      // Without force, mqtt.js waits for acknowledgements that we do not need any more, for ever if need be.
      if (unacknowledged(client) > 0) return cut()
      client.end(false)
      // A consumer that has stopped reading would not see the end either.
      client.stream.unpipe()
      client.stream.resume()
    })
  }

  #listen(): void {
    // If mqtt.js cannot parse something, it only emits an error, and would go on to read the rest.
    this.client.on('error', (error) => {
      this.#reason ??= error
      abandon(this.client)
    })
    this.client.on('disconnect', ({ reasonCode = 0 }) => {
      this.#reason ??= new ReasonError(reasonBy(reasonCode))
    })
    this.client.on('close', () => this.#lose(this.#reason ?? new Error('the connection was closed')))
  }
}

function unacknowledged({ outgoing }: MqttClient): number {
  return Object.keys(outgoing).length
}

/** Leaves a client to itself: closes its transport at once and waits for nothing. */
export function abandon(client: MqttClient): void {
  client.end(true)
  client.stream.destroy()
}

/** The reason in words; Node's AggregateError (every address of a host refused) has a code and no text. */
export function reasonOf(error: unknown): string {
  return textOf(error) || String(codeOf(error) ?? 'unknown reason')
}
