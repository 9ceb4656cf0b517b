import { describe, malformed } from '../../foundation/base/errors.js'
import { type Fields, fieldsOf, type HeaderFields } from './fields.js'
import { type HttpRequest, normalizeMethod, type RequestParts, requestParts } from './request.js'

/** Response of fetch, or a plain object. */
export interface PlainResponse {
  readonly status: number
  readonly headers: HeaderFields
}

/** Response that a Node client received (`http.IncomingMessage`). */
export interface IncomingResponse {
  readonly statusCode?: number | undefined
  readonly rawHeaders: readonly string[]
}

/** Response of fetch, of Node, or as a plain object. */
export type HttpResponse = PlainResponse | IncomingResponse

/** Parts of a response that can be signed, and the answered request if it is known. */
export interface ResponseParts {
  readonly status: number
  readonly fields: Fields
  readonly request: RequestParts | undefined
}

export type MessageParts = RequestParts | ResponseParts

/**
 * Reads the parts of a response that can be signed.
 *
 * @param request - request that the response answers; its parts can be signed, too
 * @param origin - scheme and authority that replace those of `request`
 * @throws TypeError for a value that is not a response or request
 */
export function responseParts(
  response: HttpResponse,
  request: HttpRequest | undefined,
  origin?: string,
): ResponseParts {
  assertResponse(response)
  const status = 'rawHeaders' in response ? response.statusCode : response.status
  if (!Number.isInteger(status) || Number(status) < 100 || Number(status) > 999) {
    throw malformed('status', 'a status of three digits', describe(status))
  }
  return {
    status: Number(status),
    fields: fieldsOf(response),
    // Pass null on to `requestParts`, which refuses it. If null counted as undefined, the caller's check of
    // the request would be skipped.
    request: request === undefined ? undefined : normalizeMethod(requestParts(request, origin)),
  }
}

function assertResponse(response: unknown): asserts response is HttpResponse {
  const isResponse =
    typeof response === 'object' && response !== null && ('rawHeaders' in response || 'headers' in response)
  if (isResponse) return
  throw new TypeError(`response: expected an object with status and headers, got ${describe(response)}`)
}
