// `#later` in Node, Bun, Deno and pages without a bundler: the code of MQTT and of subscriptions comes with their first use, and says then
// where mqtt.js is. What names that is not shared with pages: Parcel finds no name with `#` unless told to.

import { supplyPlatform } from '../platform/platform.js'
import type { Publisher } from '../streams/mqtt/publisher.js'
import type { openVerified } from '../subscribe/verified.js'

export const loadPublisher = async (): Promise<typeof Publisher> => {
  supplyTransport()
  return (await import('../streams/mqtt/publisher.js')).Publisher
}

export const loadVerified = async (): Promise<typeof openVerified> => {
  supplyTransport()
  return (await import('../subscribe/verified.js')).openVerified
}

const supplyTransport = () => supplyPlatform({ loadTransport: () => import('#mqtt-transport') })
