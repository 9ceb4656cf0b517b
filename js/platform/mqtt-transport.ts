import type mqtt from 'mqtt'
import type { IClientOptions, MqttClient } from 'mqtt'

/** What mqtt.js needs to know of the platform it runs on. */
export interface MqttTransport {
  /** URL schemes that can be opened here. */
  readonly schemes: readonly string[]
  /** mqtt.js. Not loaded before it is asked for: a page that only verifies never does. */
  load(): Promise<{ readonly default: Pick<typeof mqtt, 'connect'> }>
  /** Settings for mqtt.js, loaded when the first connection is made. */
  settings(): Promise<IClientOptions>
  /** The same bytes as mqtt.js takes them fastest, without a copy. */
  view(message: Uint8Array): Buffer
  /** Sets up the transport of a client that has just begun to connect. */
  prepare(client: MqttClient): void
}
