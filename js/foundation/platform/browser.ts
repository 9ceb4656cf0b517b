// Implements `#platform` in browsers, workers and edge runtimes.

import type { Missing, Transport } from './transport.js'

export { platform } from './web.js'

/**
 * Loads our copy of mqtt.js, which is never missing. It is not in `platform`, so that other bundles leave mqtt.js out.
 */
export const loadTransport = async (_: Missing): Promise<Transport> =>
  (await import('./transport-browser.js')).transport
