import type { IncomingMessage } from 'node:http'

/** The names of this machine for itself. A page whose own name was made to lead here by its DNS has another one. */
const OURS = ['localhost', '127.0.0.1', '[::1]']

/**
 * Whether somebody may connect. Any page that is open in a browser can open a WebSocket to this machine, and the browser does not
 * ask whether it may: it says from where the page is (RFC 6455 §10.2). Programs say nothing.
 *
 * @param allowed - origins of pages elsewhere
 */
export function mayEnter({ headers }: IncomingMessage, allowed: readonly string[]): boolean {
  const { host, origin } = headers
  if (!OURS.includes(hostOf(`http://${host}`))) return false
  return origin === undefined || allowed.includes(origin) || OURS.includes(hostOf(origin))
}

/** Without its port; nothing for what has none, `null` for example. */
function hostOf(url: string): string {
  try {
    return new URL(url).hostname
  } catch {
    return ''
  }
}
