import type mqtt from 'mqtt'
import type { IClientOptions, MqttClient } from 'mqtt'

/** mqtt.js, with the settings that a platform needs. It is loaded with the first connection. */
export interface Transport {
  readonly mqtt: Pick<typeof mqtt, 'connect'>
  readonly settings: IClientOptions
  /** Changes how the stream of a WebSocket makes frames. */
  joinFrames?(stream: MqttClient['stream']): void
}

/** Makes the error for a package that is not installed, from what `import()` has thrown. */
export type Missing = (name: string, cause: unknown) => Error
