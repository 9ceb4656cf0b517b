// Implements `#platform` in browsers, workers and edge runtimes.

import type { Missing, Transport } from './transport.js'

export { platform } from './web.js'

/** Loads our copy of mqtt.js. It is not in `platform`, so that bundles without brokers leave mqtt.js out. */
export const loadTransport = async (_: Missing): Promise<Transport> =>
  (await import('./transport-browser.js')).transport
