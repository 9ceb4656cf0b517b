import type { Diagnostics } from './diagnostics.js'

/** Browsers have no such channels. */
export const channel: Diagnostics['channel'] = () => ({ hasSubscribers: false, publish: () => {} })
