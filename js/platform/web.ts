// The platform of browsers, workers and edge runtimes.

import type { Platform } from './platform.js'

// WebCrypto hashes asynchronously alone, which costs more than it saves, and takes no bytes piece by piece.
export const platform: Platform = {
  // The page's host; workers have a location too, some runtimes have none.
  hostName: () => globalThis.location?.hostname ?? '',
  hasPages: true,
  mqttSchemes: ['wss', 'ws'],
  mqttView: (message) => message as Buffer,
  nextTurn,
}

/** By a message where there are any: timers are held back for 4 ms, and in a hidden page for a second. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    const channel = messageChannel()
    if (!channel) return setTimeout(resolve)
    const { port1, port2 } = channel
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    return port2.postMessage(undefined)
  })
}

/** Tried, not looked for: at the edge of Next.js it is a function, which throws. By this name webpack does not warn of it there. */
function messageChannel(): MessageChannel | undefined {
  try {
    return new globalThis.MessageChannel()
  } catch {
    return undefined
  }
}
