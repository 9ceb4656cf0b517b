import { boundedText, fetchFault } from '../../foundation/base/http/bounded-text.js'
import { urlIn } from '../../foundation/base/text/text.js'
import { deadline } from '../../foundation/base/time/timeout.js'

interface FetchLimits {
  readonly timeoutMs: number
  readonly maxBytes: number
  readonly maxKeys: number
}

const ACCEPT =
  'application/http-message-signatures-directory+json, application/jwk-set+json, application/json'
const LOCAL_HOSTS = ['localhost', '127.0.0.1', '[::1]']

/** Returns whether a URL is safe for fetching keys: https, or http to this machine, without credentials. */
export function isTrustworthy(text: string): boolean {
  const url = urlIn(text)
  if (url?.username !== '' || url.password !== '') return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && LOCAL_HOSTS.includes(url.hostname))
}

/**
 * Fetches the keys of a JSON Web Key Set. Does not follow redirects, because the new URL may be unsafe.
 *
 * @throws Error for any answer other than a set of at most `maxKeys` keys within `timeoutMs` milliseconds
 */
export async function fetchJwks(url: string, limits: FetchLimits): Promise<readonly unknown[]> {
  const { timeoutMs, maxBytes, maxKeys } = limits
  const text = await deadline(timeoutMs, 'an answer', async (signal) => {
    const response = await requestKeys(url, signal)
    if (response.status === 200) return boundedText(response, signal, maxBytes)
    // Cancel the unread body, because an unread body would block the connection.
    await response.body?.cancel().catch(() => {})
    throw new Error(`expected status 200, got ${response.status || 'a redirect'}`)
  })
  const keys: unknown = Object(JSON.parse(text)).keys
  if (!Array.isArray(keys)) throw new Error('expected a JSON Web Key Set, got other JSON')
  if (keys.length > maxKeys) throw new Error(`expected at most ${maxKeys} keys, got ${keys.length}`)
  return keys
}

async function requestKeys(url: string, signal: AbortSignal): Promise<Response> {
  try {
    // Use `'manual'`, because Cloudflare Workers lack `'error'`. A redirect then has a status other than 200.
    return await fetch(url, { headers: { Accept: ACCEPT }, redirect: 'manual', signal })
  } catch (cause) {
    throw new Error(fetchFault(cause), { cause })
  }
}
