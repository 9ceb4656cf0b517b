// What browsers, workers and edge runtimes have alike.

import type { Platform } from './platform.js'

/** WebCrypto only hashes asynchronously, which costs more than it saves. */
export const hostSha256: Platform['hostSha256'] = undefined

/** WebCrypto hashes only what is all there. */
export const hostHasher: Platform['hostHasher'] = undefined

/** The page's host; workers have a location too, some runtimes have none. */
export const hostName: Platform['hostName'] = () => globalThis.location?.hostname ?? ''

/** All pages of a host have its name, in however many browsers. */
export const machineName: Platform['machineName'] = () => undefined

export const tagVariable: Platform['tagVariable'] = () => undefined

export const readFile: Platform['readFile'] = async () => {
  throw new Error('there are no files here: pass the contents of the key file instead')
}

export const isDeviceOrSocket: Platform['isDeviceOrSocket'] = () => false

export const windowsTpm: Platform['windowsTpm'] = () => undefined

/** Localhost is a secure context without TLS as well, so the context alone would claim too much. */
export const isSecurePage: Platform['isSecurePage'] = () =>
  globalThis.isSecureContext === true && globalThis.location?.protocol === 'https:'

export const peerCertificate: Platform['peerCertificate'] = () => undefined

/** Browsers have no such channels. */
export const channel: Platform['channel'] = () => ({ hasSubscribers: false, publish: () => {} })

/** By a message where there are any: timers are held back for 4 ms, and in a hidden page for a second. */
export const nextTurn: Platform['nextTurn'] = () =>
  new Promise((resolve) => {
    const channel = messageChannel()
    if (!channel) return setTimeout(resolve)
    const { port1, port2 } = channel
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    return port2.postMessage(undefined)
  })

/** Tried, not looked for: at the edge of Next.js it is a function, which throws. By this name webpack does not warn of it there. */
function messageChannel(): MessageChannel | undefined {
  try {
    return new globalThis.MessageChannel()
  } catch {
    return undefined
  }
}
