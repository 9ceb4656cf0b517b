import { urlIn } from '../../base/text/text.js'
import { sha256 } from '../payload-name.js'
import { RequestRefused } from './problem.js'

/** Who may ask. */
export interface Guard {
  readonly token?: string | undefined
  readonly hosts: readonly string[]
  readonly origins: readonly string[]
}

/** The names of this machine for itself. */
const OURS = ['localhost', '127.0.0.1', '[::1]']

/**
 * Whoever has the token may ask by any name. Without one, a page elsewhere whose name was made to lead here by its DNS has another
 * name than ours.
 *
 * @throws Refused
 */
export function assertHost({ hostname }: URL, { token, hosts }: Guard): void {
  if (hosts.includes(hostname) || OURS.includes(hostname)) return
  if (token !== undefined && hosts.length === 0) return
  throw new RequestRefused(403, 'host: expected a name of this server (option hosts), got another')
}

/**
 * Browsers say from which page a request is (RFC 6454 §7), programs say nothing.
 *
 * @returns the headers by which a browser lets a page elsewhere read the answer
 * @throws Refused
 */
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
    'origin: expected a page of this server, or one that may ask (option origins)',
  )
}

/** RFC 6750 §2.1. @throws Refused */
export function assertToken(request: Request, { token }: Guard): void {
  if (token === undefined) return
  const [, given = ''] = /^bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '') ?? []
  if (isSame(given, token)) return
  const detail = 'authorization: expected Bearer and the token of this server'
  throw new RequestRefused(401, detail, { 'www-authenticate': 'Bearer' })
}

/** Takes as long whatever differs: digests of what nobody knows are compared, and all of them. */
function isSame(given: string, token: string): boolean {
  const digest = (text: string) => sha256(new TextEncoder().encode(text))
  const [a, b] = [digest(given), digest(token)]
  return a.reduce((difference, byte, at) => difference | (byte ^ (b[at] as number)), 0) === 0
}
