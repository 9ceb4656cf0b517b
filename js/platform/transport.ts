import type mqtt from 'mqtt'
import type { IClientOptions } from 'mqtt'

/** mqtt.js, with the settings that a platform needs. It is loaded with the first connection. */
export interface Transport {
  readonly mqtt: Pick<typeof mqtt, 'connect'>
  readonly settings: IClientOptions
}
