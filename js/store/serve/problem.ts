import { AlvariumError } from '../../foundation/base/errors.js'

/** Headers of every response, against shared caches, framing, other origins, and guessed media types. */
export const HEADERS = {
  'cache-control': 'private, no-cache',
  'content-security-policy':
    "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

export class RequestRefused extends Error {
  constructor(
    readonly status: keyof typeof TITLES,
    readonly detail: string,
    readonly headers: Readonly<Record<string, string>> = {},
    readonly code?: string,
  ) {
    super(detail)
  }
}

const TITLES = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  413: 'Content Too Large',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
}

/** Returns the HTTP response for a refusal (RFC 9457), with the error's code. */
export function problemOf({ status, detail, code, headers }: RequestRefused): Response {
  const problem = { title: TITLES[status], status, detail, ...(code !== undefined && { code }) }
  return new Response(JSON.stringify(problem), {
    status,
    headers: { ...HEADERS, 'content-type': 'application/problem+json', ...headers },
  })
}

/** Returns the refusal for an error of a store. Hides the address and user of the database from clients. */
export function refusalOf(error: unknown): RequestRefused {
  if (error instanceof RequestRefused) return error
  const code = error instanceof AlvariumError ? error.code : undefined
  if (code === 'CONFIG_INVALID') return new RequestRefused(400, (error as Error).message, {}, code)
  if (code === 'STORE_FAILED') {
    const detail = 'store: expected the database to answer in time: retry later, or ask for less'
    return new RequestRefused(503, detail, { 'retry-after': '5' }, code)
  }
  if (code === 'STREAM_CLOSED')
    return new RequestRefused(503, 'store: is closed', { 'retry-after': '5' }, code)
  return new RequestRefused(500, 'the server has logged what went wrong', {}, code)
}
