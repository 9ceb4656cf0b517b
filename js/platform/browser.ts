// `#platform` in browsers and workers.

import type { Transport } from './transport.js'

export { platform } from './web.js'

/** Loads mqtt.js. It is no member of `platform`: a bundle that connects to no broker leaves mqtt.js out. */
export const loadTransport = async (): Promise<Transport> =>
  (await import('./transport-browser.js')).transport
