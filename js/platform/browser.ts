// `#platform` in browsers and workers.

import type { Transport } from './transport.js'

export { platform } from './web.js'

/** Apart from the platform: a bundle that connects to no broker leaves mqtt.js out. */
export const loadTransport = async (): Promise<Transport> =>
  (await import('./transport-browser.js')).transport
