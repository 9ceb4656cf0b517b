import { describe, malformed } from '../base/errors.js'
import { type Fields, fieldsOf, type HeaderFields } from './fields.js'
import { asSent, type HttpRequest, partsOf, type RequestParts } from './request.js'

/** A response: fetch's `Response`, or an object that you make. */
export interface PlainResponse {
  readonly status: number
  readonly headers: HeaderFields
}

/** The members of `http.IncomingMessage`, which a Node client gets, that are read. */
export interface IncomingResponse {
  readonly statusCode?: number | undefined
  readonly rawHeaders: readonly string[]
}

/** A response in any form that programs have. */
export type HttpResponse = PlainResponse | IncomingResponse

/** A response as it is signed, with the request that it answers where that is known. */
export interface ResponseParts {
  readonly status: number
  readonly fields: Fields
  readonly request: RequestParts | undefined
}

/** What can be signed. */
export type MessageParts = RequestParts | ResponseParts

/**
 * @param request - which it answers, with `origin` in the place of its own
 * @throws AlvariumError `MESSAGE_MALFORMED`
 * @throws TypeError for what is no response, or no request
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
    // A caller that passes null has no request, and would believe that one was compared.
    request: request === undefined ? undefined : asSent(partsOf(request, origin)),
  }
}

function assertResponse(response: unknown): asserts response is HttpResponse {
  const isResponse =
    typeof response === 'object' && response !== null && ('rawHeaders' in response || 'headers' in response)
  if (isResponse) return
  throw new TypeError(`response: expected one with status and headers, got ${describe(response)}`)
}
