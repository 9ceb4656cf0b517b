// The platform of browsers, workers and edge runtimes.

import type { Platform } from './platform.js'

// WebCrypto is not used: it hashes only asynchronously, which costs more than it saves, and not incrementally.
export const platform: Platform = {
  // Use the page's host. Workers have a location too, but some runtimes have none.
  hostName: () => globalThis.location?.hostname ?? '',
  hasPages: true,
  mqttSchemes: ['wss', 'ws'],
  mqttView: (message) => message as Buffer,
  nextTurn,
}

/** Waits by a message if possible, because timers are delayed by 4 ms, and in a hidden page by a second. */
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

/**
 * Returns a channel; undefined if the constructor throws, as at the edge of Next.js, where it exists nevertheless. The prefix `globalThis`
 * avoids a warning of webpack there.
 */
function messageChannel(): MessageChannel | undefined {
  try {
    return new globalThis.MessageChannel()
  } catch {
    return undefined
  }
}
