// `#later` for bundlers, which leave out what is not used: what they make is one file where nothing can be loaded later, as in service workers.
// They leave out mqtt.js too, as only what is used here says where it is.

import { supplyPlatform } from '../platform/platform.js'
import { Publisher } from '../streams/mqtt/publisher.js'
import { openVerified } from '../subscribe/verified.js'

export const loadPublisher = async (): Promise<typeof Publisher> => {
  supplyTransport()
  return Publisher
}

export const loadVerified = async (): Promise<typeof openVerified> => {
  supplyTransport()
  return openVerified
}

const supplyTransport = () => supplyPlatform({ loadTransport: () => import('#mqtt-transport') })
