import { describe, malformed } from '../../foundation/base/errors.js'
import { quote } from '../../foundation/base/text/text.js'
import { type Fields, fieldsOf, type HeaderFields } from './fields.js'

/** Request with an absolute URL: fetch's `Request`, or your own object. */
export interface PlainRequest {
  readonly method: string
  readonly url: string
  readonly headers: HeaderFields
}

/**
 * Members of a Node `http.IncomingMessage`, or of its counterpart in `node:http2`, that are read. The URL is assembled
 * from the connection and the `Host` field unless `origin` is given. Below a mounted router (Express, Connect), `url`
 * has lost its beginning: `originalUrl` counts if it exists.
 */
export interface IncomingRequest {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly originalUrl?: string | undefined
  readonly rawHeaders: readonly string[]
  readonly socket?: object
}

/** Request in any form that programs have. */
export type HttpRequest = PlainRequest | IncomingRequest

/** Request as signed: nothing in it is decoded, resolved or normalised. */
export interface RequestParts {
  readonly method: string
  readonly scheme: string
  /** Host, and port if one was given. */
  readonly authority: string
  /** Path; `*` if `OPTIONS` asks about the server itself. */
  readonly path: string
  /** Query with its question mark; undefined if the URL has none. */
  readonly query: string | undefined
  readonly fields: Fields
}

/** Limit in characters: servers and proxies refuse shorter URLs already. */
const MAX_URL_LENGTH = 32_768

/** Characters of a URL: no spaces, no quotes, which would end the name of a line, and no line ends. */
const URL_TEXT = /^[\x21\x23-\x3b\x3d\x3f-\x7e]+$/
const ABSOLUTE = /^(https?):\/\/([^/?#]+)([^?#]*)(\?[^#]*)?(?:#.*)?$/i
/** Characters of an authority. With a slash, a `Host` field would bring its own path, and differ from the routed path. */
const AUTHORITY = /^[\w.~%!$&'()*+,;=:[\]-]+$/
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/

/**
 * @param origin - scheme and authority as clients know them, in place of the request's own
 * @throws AlvariumError `MESSAGE_MALFORMED`
 * @throws TypeError for a value that is not a request
 */
export function requestParts(request: HttpRequest, origin?: string): RequestParts {
  assertRequest(request)
  const { method = '' } = request
  if (!TOKEN.test(method)) throw malformed('method', 'a method such as GET', quote(method))
  const fields = fieldsOf(request)
  if (method === 'OPTIONS' && targetAsSent(request) === '*') {
    return { method, ...targetOf(originOf(request, origin, fields)), path: '*', fields }
  }
  return { method, ...targetOf(urlOf(request, origin, fields)), fields }
}

/** Methods that fetch writes in upper case (Fetch, 2.2.1), and `node:http`, too. */
const METHODS = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'POST', 'PUT']

/** Returns a request as clients send it: `post` becomes `POST`. */
export function normalizeMethod(parts: RequestParts): RequestParts {
  const method = parts.method.toUpperCase()
  return METHODS.includes(method) ? { ...parts, method } : parts
}

/** @throws TypeError for a value that is not a request */
export function assertRequest(request: unknown): asserts request is HttpRequest {
  const isRequest =
    typeof request === 'object' && request !== null && ('rawHeaders' in request || 'headers' in request)
  if (isRequest) return
  throw new TypeError(`request: expected one with method, url and headers, got ${describe(request)}`)
}

function targetOf(url: string): Pick<RequestParts, 'scheme' | 'authority' | 'path' | 'query'> {
  const [, scheme = '', authority = '', path = '', query] = (URL_TEXT.test(url) && ABSOLUTE.exec(url)) || []
  if (!authority || authority.includes('@') || url.length > MAX_URL_LENGTH) {
    const what = 'an absolute http or https URL without credentials, as it is sent (new URL(url).href)'
    throw malformed('url', what, quote(url))
  }
  return { scheme, authority, path, query }
}

function urlOf(request: HttpRequest, origin: string | undefined, fields: Fields): string {
  const url = targetAsSent(request)
  if (url.length > MAX_URL_LENGTH)
    throw malformed('url', `at most ${MAX_URL_LENGTH} characters`, `${url.length}`)
  // Refuse a fragment: no client sends one, and servers may treat it in any way.
  if ('rawHeaders' in request && url.includes('#')) {
    throw malformed('url', 'a request target without #', quote(url))
  }
  const [, scheme, , path = url, query = ''] = ABSOLUTE.exec(url) ?? []
  if (origin !== undefined) return joinTarget(origin, `${path}${query}`)
  if (scheme !== undefined) return url
  return joinTarget(originOf(request, origin, fields), url)
}

/**
 * Returns the target as sent. Routers cut their mount path off `url`, and a signature for one mount would be valid for
 * another.
 */
function targetAsSent(request: HttpRequest): string {
  const { url = '' } = request
  return ('rawHeaders' in request && request.originalUrl) || url
}

/**
 * Joins origin and target without resolving them: `//evil.example/` would become another host, and `/a/../b` another
 * path than the routed one.
 */
function joinTarget(origin: string, target: string): string {
  if (target === '' || target.startsWith('/') || target.startsWith('?')) return `${origin}${target}`
  throw malformed('url', 'an absolute URL, or a path that begins with /', quote(target))
}

function originOf(request: HttpRequest, origin: string | undefined, fields: Fields): string {
  return origin ?? `${schemeOf(request, fields)}://${hostOf(fields)}`
}

function schemeOf(request: HttpRequest, fields: Fields): string {
  const socket = 'socket' in request ? request.socket : undefined
  const isEncrypted = socket !== undefined && 'encrypted' in socket && socket.encrypted === true
  const scheme = fields.lines(':scheme')[0] ?? (isEncrypted ? 'https' : 'http')
  if (/^https?$/.test(scheme)) return scheme
  throw malformed(':scheme', 'http or https', quote(scheme))
}

/** Returns the only host. Refuses two different ones, because the application chooses which one it uses, whichever is signed. */
function hostOf(fields: Fields): string {
  const hosts = new Set([...fields.lines(':authority'), ...fields.lines('host')])
  const [host = ''] = hosts
  if (hosts.size === 1 && AUTHORITY.test(host)) return host
  const got = hosts.size === 1 ? quote(host) : String(hosts.size)
  throw malformed('host', 'one Host field with a host, or an absolute URL', got)
}
