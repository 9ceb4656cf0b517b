import type mqtt from 'mqtt'
import type { IClientOptions, MqttClient } from 'mqtt'

/** mqtt.js with the settings of a platform, loaded with the first connection. */
export interface Transport {
  readonly mqtt: Pick<typeof mqtt, 'connect'>
  readonly settings: IClientOptions
  joinFrames?(stream: MqttClient['stream']): void
}

/** Function that creates the error for a package that is not installed, from the error of `import()`. */
export type Missing = (name: string, cause: unknown) => Error
