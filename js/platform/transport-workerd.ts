import mqtt from './mqtt-workerd.js'
import { settings } from './over-websockets.js'
import type { Transport } from './transport.js'

/**
 * mqtt.js as it comes for browsers puts what it does next into one queue with one timer. Here a timer belongs to a request:
 * the requests after the first would wait for one that is gone, and those beside it would be served out of turn, with
 * connections that are not theirs. Ours has microtasks. And that one makes code out of text in places, for which webpack refuses to
 * build for the edge of Next.js: so no file that is loaded here may lead to it.
 */
export const transport: Transport = { mqtt, settings }
