// `alvarium-sdk/store/serve`: serves a store over HTTP, read-only, for any server with Request and Response.

import '#platform'
import { toBase64 } from '../../foundation/base/bytes/base64.js'
import { type Logger, safeLogger } from '../../foundation/base/logger.js'
import { readOptions } from '../../foundation/base/options/schema.js'
import type { TrustPolicy } from '../../signing/keys/trust-policy.js'
import { sha256 } from '../rows/payload-name.js'
import type { Store } from '../store.js'
import { docsPage, documentAt, policyOf, STYLE_BYTES } from './document.js'
import { assertHost, assertToken, corsOf, type Guard } from './guard.js'
import { METRICS_TYPE, RequestCounts, storeText } from './metrics.js'
import { type ServeOptions, schema } from './options.js'
import { valuesIn } from './parameters.js'
import { StorePool } from './pool.js'
import { HEADERS, problemOf, RequestRefused, refusalOf } from './problem.js'
import { QUESTIONS } from './questions.js'

export type { ServeOptions } from './options.js'

/** Answers an HTTP request. The promise never rejects. */
export type StoreHandler = (request: Request) => Promise<Response>

/**
 * Makes a handler for a store. It answers GET requests in JSON, and never writes. `/openapi.json` describes
 * the API (OpenAPI 3.1), `/docs` is a page for people, and `/metrics` has metrics for Prometheus. Errors are
 * `application/problem+json` (RFC 9457), with a `code` if the error has one.
 *
 * Without a `token`, requests must address the machine as `localhost`, `127.0.0.1` or `[::1]`, or by a name in
 * `hosts`. Pages of other origins are refused unless `origins` lists them. A store answers one question at a
 * time. Pass several stores, opened with the same URL, to answer short questions during long ones.
 *
 * @throws AlvariumError `CONFIG_INVALID` naming the option
 *
 * @example
 * ```ts
 * import { serveStore } from 'alvarium-sdk/store/serve'
 *
 * const handler = serveStore(store)
 * const response = await handler(new Request('http://localhost/stats'))
 * console.log(response.status) // 200
 * ```
 */
export function serveStore(store: Store | readonly Store[], options: ServeOptions = {}): StoreHandler {
  const { path, maxWaiting, logger, trust, ...guard } = readOptions(schema, options, 'serve')
  const pool = new StorePool([store].flat(), maxWaiting)
  const service = new Service({ pool, guard, path, trust, logger: safeLogger(logger) })
  return (request) => service.answer(request)
}

interface ServiceParts {
  readonly pool: StorePool
  readonly guard: Guard
  readonly path: string
  readonly trust: TrustPolicy | undefined
  readonly logger: Logger
}

class Service {
  readonly #parts: ServiceParts
  readonly #counts = new RequestCounts(['/docs', '/openapi.json', '/metrics', ...Object.keys(QUESTIONS)])

  constructor(parts: ServiceParts) {
    this.#parts = parts
  }

  async answer(request: Request): Promise<Response> {
    const start = performance.now()
    const response = await this.#settled(request)
    const { path } = this.#parts
    const at = pathnameOf(request)
    const label = at.startsWith(path) ? at.slice(path.length) : at
    this.#counts.add(label, response.status, performance.now() - start)
    return response
  }

  async #settled(request: Request): Promise<Response> {
    const { guard, logger } = this.#parts
    let cors = {}
    try {
      const url = new URL(request.url)
      assertHost(url, guard)
      cors = corsOf(request, url, guard)
      if (request.method === 'OPTIONS') return preflight(cors)
      assertQuestion(request)
      return withHeaders(await this.#answer(request, url), cors)
    } catch (error) {
      const refusal = refusalOf(error)
      if (error !== refusal && refusal.status >= 500) logger.error({ err: error }, 'a question failed')
      return withHeaders(problemOf(refusal), cors)
    }
  }

  async #answer(request: Request, { pathname, searchParams }: URL): Promise<Response> {
    const { path, guard, pool, trust } = this.#parts
    const at = pathname.startsWith(`${path}/`) ? pathname.slice(path.length) : ''
    const needsToken = guard.token !== undefined
    // Serve `/docs` and `/openapi.json` without a token, because they contain nothing from the store.
    if (at === '/docs') return docs(path, needsToken)
    if (at === '/openapi.json') return jsonOf(request, documentAt(path, needsToken))
    assertToken(request, guard)
    if (at === '/metrics') return this.#metrics(request)
    const question = Object.hasOwn(QUESTIONS, at) ? QUESTIONS[at] : undefined
    if (!question) throw new RequestRefused(404, `path: expected a path of ${path}/docs, got another path`)
    const { signal } = request
    const call = { values: valuesIn(searchParams, question.parameters), trust, signal }
    return jsonOf(request, await pool.ask((store) => question.ask(store, call), signal))
  }

  /** Answers with the metrics, even if the store fails: one metric says whether the store answered. */
  async #metrics(request: Request): Promise<Response> {
    const { pool, logger } = this.#parts
    const asked = pool.ask((store) => store.stats(), request.signal)
    const stats = await asked.catch((error) => {
      if (error instanceof RequestRefused) throw error
      logger.error({ err: error }, 'a question failed')
      return undefined
    })
    const text = storeText(stats) + this.#counts.text()
    return new Response(request.method === 'HEAD' ? null : text, {
      headers: { ...HEADERS, 'content-type': METRICS_TYPE },
    })
  }
}

function pathnameOf({ url }: Request): string {
  try {
    return new URL(url).pathname
  } catch {
    return ''
  }
}

function assertQuestion({ method, headers, body }: Request): void {
  if (method !== 'GET' && method !== 'HEAD') {
    throw new RequestRefused(405, 'method: expected GET, got another method', { allow: 'GET, HEAD, OPTIONS' })
  }
  const isEmpty = body === null && Number(headers.get('content-length') ?? 0) === 0
  if (!isEmpty || headers.has('transfer-encoding'))
    throw new RequestRefused(413, 'body: expected an empty body, got bytes')
}

/** Answers the preflight request that browsers send before a request with a token (Fetch, 3.3). */
function preflight(cors: Record<string, string>): Response {
  const allowed = {
    allow: 'GET, HEAD, OPTIONS',
    'access-control-allow-methods': 'GET',
    'access-control-allow-headers': 'authorization',
    'access-control-max-age': '600',
  }
  return new Response(null, { status: 204, headers: { ...HEADERS, ...allowed, ...cors } })
}

/** Answers in JSON with an entity tag, so that an unchanged answer is not sent again (RFC 9110 §13.1.2). */
function jsonOf(request: Request, value: unknown): Response {
  const body = new TextEncoder().encode(JSON.stringify(value))
  const etag = `"${toBase64(sha256(body)).slice(0, 22)}"`
  // Ignore the prefix `W/`, because proxies that compress mark entity tags as weak.
  const known = (request.headers.get('if-none-match') ?? '')
    .split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''))
  const isKnown = known.includes(etag) || known.includes('*')
  if (isKnown) return new Response(null, { status: 304, headers: { ...HEADERS, etag } })
  return new Response(request.method === 'HEAD' ? null : body, {
    headers: { ...HEADERS, 'content-type': 'application/json', etag },
  })
}

function docs(path: string, needsToken: boolean): Response {
  const policy = policyOf(toBase64(sha256(STYLE_BYTES)))
  return new Response(docsPage(path, needsToken), {
    headers: { ...HEADERS, 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy },
  })
}

function withHeaders(response: Response, headers: Readonly<Record<string, string>>): Response {
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value)
  return response
}
