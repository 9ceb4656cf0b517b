// `#platform` in edge runtimes.

import type { Transport } from './transport.js'

export { platform } from './web.js'

export const loadTransport = async (): Promise<Transport> =>
  (await import('./transport-workerd.js')).transport
