// Decides which parts of a request the signature over its response covers.

import { AlvariumError, isBytes, needs } from '../../foundation/base/errors.js'
import { type Component, isOfRequest } from './components.js'
import { assertDigest, isDigestOf } from './digest.js'
import type { HttpRequest, RequestParts } from './request.js'
import type { UnboundPart } from './verified.js'

/** Methods that normally have no request body (RFC 9110, 9.3.1 and 9.3.2). */
const BODILESS = ['GET', 'HEAD']

/** Request that a response answers: the caller's object and its parsed parts. */
interface AnsweredRequest {
  readonly request: HttpRequest
  readonly parts: RequestParts
}

/**
 * Asserts that a request has no body, or has a `content-digest`, which the signature of its response can cover.
 *
 * @throws AlvariumError `CONFIG_INVALID` if the digest is missing, `MESSAGE_MALFORMED` if it is insecure
 */
export function assertBodyCanBeBound(answered: AnsweredRequest): void {
  const digest = digestIn(answered)
  if (digest !== '') assertDigest(digest)
  else if (mayHaveBody(answered)) {
    const { method } = answered.parts
    const digest = `a content-digest that binds the response to the body of the ${method}`
    throw needs('verifyResponse.request', `${digest}, or acceptUnboundBody: true`)
  }
}

/**
 * Asserts that a request's `content-digest`, if any, matches its body. Ignores a body that is neither bytes nor text.
 *
 * @throws AlvariumError `PAYLOAD_MISMATCH`
 */
export async function assertOwnDigest(answered: AnsweredRequest): Promise<void> {
  const [body, digest] = [bodyOf(answered.request), digestIn(answered)]
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  if (digest === '' || !isBytes(bytes) || (await isDigestOf(bytes, digest))) return
  throw new AlvariumError(
    'PAYLOAD_MISMATCH',
    'request.body: does not match the content-digest of the request',
  )
}

export function notBoundBy(
  components: readonly Component[],
  answered: AnsweredRequest | undefined,
): readonly UnboundPart[] {
  if (!answered) return ['request']
  const isBound = components.some((one) => isOfRequest(one) && one[0] === 'content-digest')
  return isBound || !mayHaveBody(answered) ? [] : ['request body']
}

function mayHaveBody({ request, parts: { method, fields } }: AnsweredRequest): boolean {
  const length = fields.lines('content-length').some((line) => line.trim() !== '0')
  const isAnnounced = length || fields.lines('transfer-encoding').length > 0
  return !BODILESS.includes(method) || isAnnounced || (bodyOf(request) ?? undefined) !== undefined
}

function digestIn({ parts: { fields } }: AnsweredRequest): string {
  return fields.lines('content-digest').join(', ')
}

/** Returns the `body` of a request: a stream or null for a `Request` of fetch, otherwise bytes or text. */
function bodyOf(request: HttpRequest): unknown {
  return Reflect.get(request, 'body')
}
