// The parts of a request that the signature over its answer covers.

import { expected, isBytes } from '../../foundation/base/errors.js'
import { type Component, isOfRequest } from './components.js'
import { assertDigest, isDigestOf } from './digest.js'
import type { HttpRequest, RequestParts } from './request.js'
import type { UnboundPart } from './verified.js'

/** Methods whose requests have no body by default (RFC 9110, 9.3.1 and 9.3.2). */
const BODILESS = ['GET', 'HEAD']

/** Answered request: as the client gave it, and its parts. */
export interface AnsweredRequest {
  readonly request: HttpRequest
  readonly parts: RequestParts
}

/**
 * Asserts that a signature over the answer can cover the body of the request: there is no body, or its digest is among
 * the headers.
 *
 * @throws AlvariumError `CONFIG_INVALID` without a digest, `MESSAGE_MALFORMED` for one that anyone can forge
 */
export function assertBodyCanBeBound(answered: AnsweredRequest): void {
  const digest = digestIn(answered)
  if (digest !== '') assertDigest(digest)
  else if (mayHaveBody(answered)) {
    const { method } = answered.parts
    const needed = `a content-digest, which binds the response to the body of the ${method}, or acceptUnboundBody: true`
    throw expected('CONFIG_INVALID', 'verifyResponse.request', needed, 'none')
  }
}

/** Returns whether the digest in the request is that of the body in the same object; true if the object shows no body. */
export async function hasOwnDigest(answered: AnsweredRequest): Promise<boolean> {
  const [body, digest] = [bodyOf(answered.request), digestIn(answered)]
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  return digest === '' || !isBytes(bytes) || (await isDigestOf(bytes, digest))
}

/** Lists the parts of the exchange that a signature over these components does not cover. */
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

/** Returns the body in the object: a stream or null for requests of fetch; for plain objects, the body that the client sends. */
function bodyOf(request: HttpRequest): unknown {
  return Reflect.get(request, 'body')
}
