import { urlIn } from '../../foundation/base/text/text.js'
import { sha256 } from '../rows/payload-name.js'
import { RequestRefused } from './problem.js'

export interface Guard {
  readonly token?: string | undefined
  readonly hosts: readonly string[]
  readonly origins: readonly string[]
}

const LOCAL_HOSTS = ['localhost', '127.0.0.1', '[::1]']

/**
 * Refuses a request for a host name that is not this server's. A client with the token may use any name,
 * unless `hosts` is set. Without a token, this stops a page of another site that resolves its own name to
 * this machine (DNS rebinding).
 */
export function assertHost({ hostname }: URL, { token, hosts }: Guard): void {
  if (hosts.includes(hostname) || LOCAL_HOSTS.includes(hostname)) return
  if (token !== undefined && hosts.length === 0) return
  throw new RequestRefused(403, 'host: expected a name of this server (option hosts), got another name')
}

/** Checks the origin of a browser's page (RFC 6454 §7). @returns the headers that let it read the answer */
export function corsOf(request: Request, url: URL, { origins }: Guard): Record<string, string> {
  const origin = request.headers.get('origin')
  if (origin === null || urlIn(origin)?.host === url.host) return {}
  if (origins.includes(origin)) {
    return {
      'access-control-allow-origin': origin,
      'cross-origin-resource-policy': 'cross-origin',
      vary: 'origin',
    }
  }
  throw new RequestRefused(
    403,
    'origin: expected a page of this server, or a permitted page (option origins)',
  )
}

/** Checks the bearer token (RFC 6750 §2.1). */
export function assertToken(request: Request, { token }: Guard): void {
  if (token === undefined) return
  const [, given = ''] = /^bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '') ?? []
  if (isSame(given, token)) return
  const detail = 'authorization: expected Bearer and the token of this server'
  throw new RequestRefused(401, detail, { 'www-authenticate': 'Bearer' })
}

/**
 * Compares the digests of two tokens. The time shows nothing about the token, because clients cannot choose
 * the bytes of a digest.
 */
function isSame(given: string, token: string): boolean {
  const digest = (text: string) => sha256(new TextEncoder().encode(text))
  const [a, b] = [digest(given), digest(token)]
  return a.reduce((difference, byte, at) => difference | (byte ^ (b[at] as number)), 0) === 0
}
