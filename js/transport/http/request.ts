import { describe, malformed } from '../../foundation/base/errors.js'
import { quote } from '../../foundation/base/text/text.js'
import { type Fields, fieldsOf, type HeaderFields } from './fields.js'

/** Request of fetch, or a plain object with an absolute URL. */
export interface PlainRequest {
  readonly method: string
  readonly url: string
  readonly headers: HeaderFields
}

/**
 * Request of a Node server (`http.IncomingMessage`, or its `node:http2` counterpart). Without the option
 * `origin`, its URL begins with the connection's scheme and the `Host` field. `originalUrl` takes precedence
 * over `url`, which mounted routers (Express, Connect) shorten.
 */
export interface IncomingRequest {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly originalUrl?: string | undefined
  readonly rawHeaders: readonly string[]
  readonly socket?: object
}

/** Request of fetch, of Node, or as a plain object. */
export type HttpRequest = PlainRequest | IncomingRequest

/** Parts of a request exactly as signed: not decoded, resolved or normalized. */
export interface RequestParts {
  readonly method: string
  readonly scheme: string
  /** Host, with the port if the URL has one. */
  readonly authority: string
  /** Path of the URL; `*` for `OPTIONS *`. */
  readonly path: string
  /** Query including its question mark; undefined if the URL has none. */
  readonly query: string | undefined
  readonly fields: Fields
}

/** Maximum length of a URL in characters. Servers and proxies accept less. */
const MAX_URL_LENGTH = 32_768

/** Pattern of a URL. Excludes line ends and quotes, which could forge a line of the signature base. */
const URL_TEXT = /^[\x21\x23-\x3b\x3d\x3f-\x7e]+$/
const ABSOLUTE = /^(https?):\/\/([^/?#]+)([^?#]*)(\?[^#]*)?(?:#.*)?$/i
/**
 * Pattern of an authority. Excludes `/`, because a path in a `Host` field would differ from the routed path.
 */
const AUTHORITY = /^[\w.~%!$&'()*+,;=:[\]-]+$/
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/

/**
 * Reads the parts of a request that can be signed.
 *
 * @param origin - scheme and authority as clients use them; replaces those of the request
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

/** Methods that fetch (Fetch, 2.2.1) and `node:http` convert to upper case. */
const METHODS = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'POST', 'PUT']

/** Returns the request with its method as clients send it: `post` becomes `POST`. */
export function normalizeMethod(parts: RequestParts): RequestParts {
  const method = parts.method.toUpperCase()
  return METHODS.includes(method) ? { ...parts, method } : parts
}

export function assertRequest(request: unknown): asserts request is HttpRequest {
  const isRequest =
    typeof request === 'object' && request !== null && ('rawHeaders' in request || 'headers' in request)
  if (isRequest) return
  throw new TypeError(`request: expected an object with method, url and headers, got ${describe(request)}`)
}

function targetOf(url: string): Pick<RequestParts, 'scheme' | 'authority' | 'path' | 'query'> {
  const [, scheme = '', authority = '', path = '', query] = (URL_TEXT.test(url) && ABSOLUTE.exec(url)) || []
  if (!authority || authority.includes('@') || url.length > MAX_URL_LENGTH) {
    const requirement = 'an absolute http or https URL without credentials, as it is sent (new URL(url).href)'
    throw malformed('url', requirement, quote(url))
  }
  return { scheme, authority, path, query }
}

function urlOf(request: HttpRequest, origin: string | undefined, fields: Fields): string {
  const url = targetAsSent(request)
  if (url.length > MAX_URL_LENGTH)
    throw malformed('url', `at most ${MAX_URL_LENGTH} characters`, `${url.length}`)
  // Refuse a fragment, because clients do not send one and servers treat it differently.
  if ('rawHeaders' in request && url.includes('#')) {
    throw malformed('url', 'a request target without #', quote(url))
  }
  const [, scheme, , path = url, query = ''] = ABSOLUTE.exec(url) ?? []
  if (origin !== undefined) return joinTarget(origin, `${path}${query}`)
  if (scheme !== undefined) return url
  return joinTarget(originOf(request, origin, fields), url)
}

/**
 * Returns the request target as sent. Ignores the shortened `url` of mounted routers, because a signature for
 * one mount path would be valid for another.
 */
function targetAsSent(request: HttpRequest): string {
  const { url = '' } = request
  return ('rawHeaders' in request && request.originalUrl) || url
}

/**
 * Joins an origin and a target without resolving the result. Resolving would turn `//evil.example/` into
 * another host, and `/a/../b` into a path other than the routed one.
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

/** Returns the host. Throws for two different hosts, because the application might use the unsigned one. */
function hostOf(fields: Fields): string {
  const hosts = new Set([...fields.lines(':authority'), ...fields.lines('host')])
  const [host = ''] = hosts
  if (hosts.size === 1 && AUTHORITY.test(host)) return host
  const got = hosts.size === 1 ? quote(host) : String(hosts.size)
  throw malformed('host', 'one Host field with a host, or an absolute URL', got)
}
