import { describe, malformed } from '../base/errors.js'
import { quote } from '../base/text/text.js'
import { type Fields, fieldsOf, type HeaderFields } from './fields.js'

/** A request with an absolute URL: fetch's `Request`, or an object that you make. */
export interface PlainRequest {
  readonly method: string
  readonly url: string
  readonly headers: HeaderFields
}

/**
 * What is read of a Node `http.IncomingMessage`, or of its counterpart in `node:http2`. Its URL is put together from the
 * connection and the `Host` field unless `origin` is given. Below a mounted router (Express, Connect) `url` has lost its
 * beginning: where there is an `originalUrl`, that counts.
 */
export interface IncomingRequest {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly originalUrl?: string | undefined
  readonly rawHeaders: readonly string[]
  readonly socket?: object
}

/** A request in any of the forms in which programs have it. */
export type HttpRequest = PlainRequest | IncomingRequest

/** A request as it is signed: nothing in it is decoded, resolved or normalised. */
export interface RequestParts {
  readonly method: string
  readonly scheme: string
  /** Host, and port where one was given. */
  readonly authority: string
  /** `*` where `OPTIONS` asks about the server itself. */
  readonly path: string
  /** With its question mark; absent where the URL has none. */
  readonly query: string | undefined
  readonly fields: Fields
}

/** Servers and proxies give up before that. */
const LONGEST_URL = 32_768

/** What a URL consists of: neither spaces, nor quotes that would end a line's name, nor line ends. */
const URL_TEXT = /^[\x21\x23-\x3b\x3d\x3f-\x7e]+$/
const ABSOLUTE = /^(https?):\/\/([^/?#]+)([^?#]*)(\?[^#]*)?(?:#.*)?$/i
/** With a slash in it, a `Host` field would bring a path of its own, and what is routed would be another. */
const AUTHORITY = /^[\w.~%!$&'()*+,;=:[\]-]+$/
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/

/**
 * @param origin - scheme and authority as clients know them, in the place of the request's own
 * @throws AlvariumError `MESSAGE_MALFORMED`
 * @throws TypeError for what is no request
 */
export function partsOf(request: HttpRequest, origin?: string): RequestParts {
  assertRequest(request)
  const { method = '' } = request
  if (!TOKEN.test(method)) throw malformed('method', 'a method such as GET', quote(method))
  const fields = fieldsOf(request)
  if (method === 'OPTIONS' && targetAsSent(request) === '*') {
    return { method, ...targetOf(originOf(request, origin, fields)), path: '*', fields }
  }
  return { method, ...targetOf(urlOf(request, origin, fields)), fields }
}

/** What fetch writes in upper case (Fetch, 2.2.1), as `node:http` does. */
const METHODS = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'POST', 'PUT']

/** As a client sends it that was told `post`. */
export function asSent(parts: RequestParts): RequestParts {
  const method = parts.method.toUpperCase()
  return METHODS.includes(method) ? { ...parts, method } : parts
}

/** @throws TypeError for what is no request */
export function assertRequest(request: unknown): asserts request is HttpRequest {
  const isRequest =
    typeof request === 'object' && request !== null && ('rawHeaders' in request || 'headers' in request)
  if (isRequest) return
  throw new TypeError(`request: expected one with method, url and headers, got ${describe(request)}`)
}

function targetOf(url: string): Pick<RequestParts, 'scheme' | 'authority' | 'path' | 'query'> {
  const [, scheme = '', authority = '', path = '', query] = (URL_TEXT.test(url) && ABSOLUTE.exec(url)) || []
  if (!authority || authority.includes('@') || url.length > LONGEST_URL) {
    const what = 'an absolute http or https URL without credentials, as it is sent (new URL(url).href)'
    throw malformed('url', what, quote(url))
  }
  return { scheme, authority, path, query }
}

function urlOf(request: HttpRequest, origin: string | undefined, fields: Fields): string {
  const url = targetAsSent(request)
  if (url.length > LONGEST_URL) throw malformed('url', `at most ${LONGEST_URL} characters`, `${url.length}`)
  // No client sends one, and what a server makes of it nobody knows.
  if ('rawHeaders' in request && url.includes('#')) {
    throw malformed('url', 'a request target without #', quote(url))
  }
  const [, scheme, , path = url, query = ''] = ABSOLUTE.exec(url) ?? []
  if (origin !== undefined) return rooted(origin, `${path}${query}`)
  if (scheme !== undefined) return url
  return rooted(originOf(request, origin, fields), url)
}

/** Routers take from `url` what they are mounted at, and a signature for one mount would go with another. */
function targetAsSent(request: HttpRequest): string {
  const { url = '' } = request
  return ('rawHeaders' in request && request.originalUrl) || url
}

/** Put together and not resolved: `//evil.example/` would become another host, and `/a/../b` another path than is routed. */
function rooted(origin: string, target: string): string {
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

/** Which of two would be used, the application decides, not what is signed. */
function hostOf(fields: Fields): string {
  const hosts = new Set([...fields.lines(':authority'), ...fields.lines('host')])
  const [host = ''] = hosts
  if (hosts.size === 1 && AUTHORITY.test(host)) return host
  const got = hosts.size === 1 ? quote(host) : String(hosts.size)
  throw malformed('host', 'one Host field with a host, or an absolute URL', got)
}
