import type mqtt from 'mqtt'
import type { IClientOptions } from 'mqtt'

/**
 * mqtt.js as a platform has it. `#mqtt-transport` in package.json picks the implementation, which is loaded with the first connection: a page that
 * only verifies never does.
 */
export interface Transport {
  readonly mqtt: Pick<typeof mqtt, 'connect'>
  readonly settings: IClientOptions
}
