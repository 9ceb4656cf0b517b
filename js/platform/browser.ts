// `#platform` in browsers, workers and edge runtimes.

import type { Missing, Transport } from './transport.js'

export { platform } from './web.js'

/** Loads our copy of mqtt.js: no package can be missing. It is no member of `platform`: a bundle that connects to no broker leaves mqtt.js out. */
export const loadTransport = async (_: Missing): Promise<Transport> =>
  (await import('./transport-browser.js')).transport
