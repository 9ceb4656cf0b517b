import type { IConnackPacket, MqttClient } from 'mqtt'
import { codeOf, textOf } from '../../../foundation/base/errors.js'
import { ReasonError, reasonBy } from './reasons.js'

/** Time limit for DISCONNECT and the close, which take a round trip; a dead peer would take forever. */
const MAX_DISCONNECT_MS = 1_000

/**
 * One connection, from CONNACK to its end. It never reconnects, and all state of mqtt.js ends with it. The reconnection
 * of mqtt.js is not used: it waits a fixed second without jitter, then one round trip per unacknowledged message, and
 * emits `connect` only after the last.
 */
export class Link {
  readonly client: MqttClient
  /** Protocol version of the connection. */
  readonly version: 4 | 5
  /** Maximum number of unacknowledged messages that the broker allows. */
  readonly receiveMaximum: number
  /** Maximum packet size that the broker accepts, in bytes. */
  readonly maximumPacketSize: number
  /** True if the broker sends subscription identifiers with messages. */
  readonly hasSubscriptionIds: boolean
  /** Other properties of CONNACK. */
  readonly grants: NonNullable<IConnackPacket['properties']>
  /** Promise of the reason for the end of the connection. */
  readonly lost: Promise<Error>
  #resolveLost: (reason: Error) => void = () => {}
  #reason: Error | undefined

  constructor(client: MqttClient, { properties = {} }: IConnackPacket) {
    this.client = client
    this.version = client.options.protocolVersion === 5 ? 5 : 4
    this.grants = properties
    this.receiveMaximum = properties.receiveMaximum ?? 65_535
    this.maximumPacketSize = properties.maximumPacketSize ?? Number.POSITIVE_INFINITY
    this.hasSubscriptionIds = this.version === 5 && properties.subscriptionIdentifiersAvailable !== false
    this.lost = new Promise((resolve) => {
      this.#resolveLost = resolve
    })
    this.#listen()
  }

  /** Cuts the connection. `lost` resolves at once, because mqtt.js' `end()` may never call back. */
  drop(reason: Error): void {
    this.#resolveLost(reason)
    destroyClient(this.client)
  }

  /** Sends DISCONNECT to the broker. Cuts the connection if that takes too long. */
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
      // Without force, mqtt.js would wait for acknowledgements that we no longer need, forever if necessary.
      if (countUnacknowledged(client) > 0) return cut()
      client.end(false)
      // A consumer that has stopped reading would not see the end either.
      client.stream.unpipe()
      client.stream.resume()
    })
  }

  #listen(): void {
    // On a parse error, mqtt.js only emits an error, and would read on.
    this.client.on('error', (error) => {
      this.#reason ??= error
      destroyClient(this.client)
    })
    this.client.on('disconnect', ({ reasonCode = 0 }) => {
      this.#reason ??= new ReasonError(reasonBy(reasonCode))
    })
    this.client.on('close', () => this.#resolveLost(this.#reason ?? new Error('the connection was closed')))
  }
}

function countUnacknowledged({ outgoing }: MqttClient): number {
  return Object.keys(outgoing).length
}

/** Closes a client's transport at once, and waits for nothing. */
export function destroyClient(client: MqttClient): void {
  client.end(true)
  client.stream.destroy()
}

/** Returns the reason in words. Node's AggregateError (every address of a host refused) has a code and no text. */
export function reasonOf(error: unknown): string {
  return textOf(error) || String(codeOf(error) ?? 'unknown reason')
}
