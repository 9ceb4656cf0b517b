// `#later` in Node, Bun, Deno and pages without a bundler: the code of MQTT and of subscriptions comes with their first use.

import type { Publisher } from '../streams/mqtt/publisher.js'
import type { openVerified } from '../subscribe/verified.js'

export const loadPublisher = async (): Promise<typeof Publisher> =>
  (await import('../streams/mqtt/publisher.js')).Publisher

export const loadVerified = async (): Promise<typeof openVerified> =>
  (await import('../subscribe/verified.js')).openVerified
