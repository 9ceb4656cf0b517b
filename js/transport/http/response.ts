import { describe, malformed } from '../../foundation/base/errors.js'
import { type Fields, fieldsOf, type HeaderFields } from './fields.js'
import { type HttpRequest, normalizeMethod, type RequestParts, requestParts } from './request.js'

/** Response: fetch's `Response`, or your own object. */
export interface PlainResponse {
  readonly status: number
  readonly headers: HeaderFields
}

/** Members of `http.IncomingMessage`, as a Node client gets it, that are read. */
export interface IncomingResponse {
  readonly statusCode?: number | undefined
  readonly rawHeaders: readonly string[]
}

/** Response in any form that programs have. */
export type HttpResponse = PlainResponse | IncomingResponse

/** Response as signed, with the request that it answers if that is known. */
export interface ResponseParts {
  readonly status: number
  readonly fields: Fields
  readonly request: RequestParts | undefined
}

/** Message that can be signed. */
export type MessageParts = RequestParts | ResponseParts

/**
 * @param request - the answered request, with `origin` in place of its own
 * @throws AlvariumError `MESSAGE_MALFORMED`
 * @throws TypeError for a value that is not a response, or not a request
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
    // Pass null on, to be refused: its caller has no request, and would believe that one was compared.
    request: request === undefined ? undefined : normalizeMethod(requestParts(request, origin)),
  }
}

function assertResponse(response: unknown): asserts response is HttpResponse {
  const isResponse =
    typeof response === 'object' && response !== null && ('rawHeaders' in response || 'headers' in response)
  if (isResponse) return
  throw new TypeError(`response: expected one with status and headers, got ${describe(response)}`)
}
