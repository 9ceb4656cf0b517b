import type { IConnackPacket, MqttClient } from 'mqtt'
import { codeOf, textOf } from '../../../foundation/base/errors.js'
import { withResolvers } from '../../../foundation/base/time/promises.js'
import { ReasonError, reasonBy } from './reasons.js'

/** Maximum milliseconds for DISCONNECT and the close, because a dead peer would never answer. */
const MAX_DISCONNECT_MS = 1_000

/**
 * One connection, from CONNACK to its end. A link never reconnects, and all state of mqtt.js ends with it.
 * The reconnection of mqtt.js is too slow: it waits a fixed second without jitter, then one round trip for
 * each unacknowledged message, and only then emits `connect`.
 */
export class Link {
  readonly client: MqttClient
  /** MQTT version of the connection: 5, or 4 for MQTT 3.1.1. */
  readonly version: 4 | 5
  readonly receiveMaximum: number
  /** Maximum packet size of the broker in bytes. */
  readonly maximumPacketSize: number
  readonly hasSubscriptionIds: boolean
  readonly grants: NonNullable<IConnackPacket['properties']>
  readonly #lost = withResolvers<Error>()
  readonly lost = this.#lost.promise
  #reason: Error | undefined

  constructor(client: MqttClient, { properties = {} }: IConnackPacket) {
    this.client = client
    this.version = client.options.protocolVersion === 5 ? 5 : 4
    this.grants = properties
    this.receiveMaximum = properties.receiveMaximum ?? 65_535
    this.maximumPacketSize = properties.maximumPacketSize ?? Number.POSITIVE_INFINITY
    this.hasSubscriptionIds = this.version === 5 && properties.subscriptionIdentifiersAvailable !== false
    this.#listen()
  }

  /** Cuts the connection. Resolves `lost` at once, because `end()` of mqtt.js may never call back. */
  drop(reason: Error): void {
    this.#lost.resolve(reason)
    destroyClient(this.client)
  }

  /** Sends DISCONNECT. Cuts the connection after a second, or at once while acknowledgements are missing. */
  end(): Promise<void> {
    const { client } = this
    return new Promise((resolve) => {
      const cut = () => {
        clearTimeout(timer)
        this.drop(new Error('closed by us'))
        resolve()
      }
      const timer = setTimeout(cut, MAX_DISCONNECT_MS)
      client.once('close', cut)
      // `end(false)` would wait for all missing acknowledgements, possibly forever.
      if (Object.keys(client.outgoing).length > 0) return cut()
      client.end(false)
      // A slow consumer may have paused the stream, which then would never close.
      client.stream.unpipe()
      client.stream.resume()
    })
  }

  #listen(): void {
    // After a parse error, mqtt.js would continue to read.
    this.client.on('error', (error) => {
      this.#reason ??= error
      destroyClient(this.client)
    })
    this.client.on('disconnect', ({ reasonCode = 0 }) => {
      this.#reason ??= new ReasonError(reasonBy(reasonCode))
    })
    this.client.on('close', () => this.#lost.resolve(this.#reason ?? new Error('the connection was closed')))
  }
}

export function destroyClient(client: MqttClient): void {
  client.end(true)
  client.stream.destroy()
}

/** Returns an error's text or code. Node's AggregateError (all addresses refused) has no text. */
export function reasonOf(error: unknown): string {
  return textOf(error) || String(codeOf(error) ?? 'unknown reason')
}
