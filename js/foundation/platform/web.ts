// Implements the platform of browsers, workers and edge runtimes.

import type { Platform } from './platform.js'

// WebCrypto is not used, because it hashes only asynchronously, which costs more than it saves.
export const platform: Platform = {
  // Return the host of the page. Workers have a location, too, but some runtimes have none.
  hostName: () => globalThis.location?.hostname ?? '',
  hasPages: true,
  mqttSchemes: ['wss', 'ws'],
  mqttView: (message) => message as Buffer,
  nextTurn,
}

/**
 * Resolves in a later turn of the event loop. Uses a message channel if possible, because browsers delay timers by 4
 * ms, and in a hidden page by a second.
 */
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
 * Creates a message channel. Returns undefined if the constructor throws, as it does in the edge runtime of Next.js.
 * The prefix `globalThis` avoids a warning of webpack for that runtime.
 */
function messageChannel(): MessageChannel | undefined {
  try {
    return new globalThis.MessageChannel()
  } catch {
    return undefined
  }
}
