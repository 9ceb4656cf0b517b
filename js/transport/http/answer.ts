import { AlvariumError, type ErrorCode } from '../../foundation/base/errors.js'

/** HTTP answer for a client. Fits `node:http`, Express and Fastify, and is a `ResponseInit` for fetch. */
export interface HttpAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** JSON body with the error code, such as `{"code":"QUEUE_FULL"}`. */
  readonly body: string
}

/** HTTP status by error code. Other codes are faults of the service and get status 500. */
const STATUS: Readonly<Partial<Record<ErrorCode, number>>> = {
  MESSAGE_MALFORMED: 400,
  PAYLOAD_INVALID: 400,
  SIGNER_UNKNOWN: 401,
  SIGNATURE_INVALID: 401,
  SIGNER_EXPIRED: 401,
  SIGNER_REVOKED: 401,
  PAYLOAD_MISMATCH: 401,
  // Occurs only with leases, if the trust policy does not permit the signer of a lease to issue that lease.
  SIGNER_NOT_ALLOWED: 403,
  BODY_TOO_LARGE: 413,
  QUEUE_FULL: 503,
  STREAM_UNREACHABLE: 503,
  STREAM_UNAVAILABLE: 503,
  STREAM_LOST: 503,
  STREAM_TIMEOUT: 503,
  STREAM_CLOSED: 503,
  STREAM_FAILED: 503,
  STORE_FAILED: 503,
  SIGNER_FAILED: 503,
}
const HEADERS: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  // RFC 9110, 15.5.2 requires a challenge in every 401.
  401: { 'WWW-Authenticate': 'Signature' },
  503: { 'Retry-After': '5' },
}

/**
 * Returns the HTTP answer to an error of `receive`, `verifyRequest` or a call of the SDK. The answer has only
 * a code, which is `INTERNAL` for status 500. Log the error's text, which can name files, brokers and keys.
 *
 * | status | codes |
 * |---|---|
 * | 400 | `MESSAGE_MALFORMED` (includes missing signatures), `PAYLOAD_INVALID` |
 * | 401 | `SIGNER_UNKNOWN`, `SIGNER_EXPIRED`, `SIGNER_REVOKED`, `SIGNATURE_INVALID`, `PAYLOAD_MISMATCH` |
 * | 403 | `SIGNER_NOT_ALLOWED` |
 * | 413 | `BODY_TOO_LARGE` |
 * | 503 with `Retry-After` | `QUEUE_FULL`, `STORE_FAILED`, `SIGNER_FAILED`, and codes of a stream that may recover |
 * | 500 | all other codes, and errors without a code |
 *
 * @example
 * ```ts
 * const handler = async (request: Request) => {
 *   try {
 *     const { body, raw } = await receive(request)
 *     const { id } = await sdk.transit(body, { 'pki-http': raw })
 *     return Response.json({ id }, { status: 201 })
 *   } catch (error) {
 *     const answer = answerTo(error)
 *     return new Response(answer.body, answer) // Node: response.writeHead(answer.status, answer.headers).end(answer.body)
 *   }
 * }
 * ```
 */
export function answerTo(error: unknown): HttpAnswer {
  const code = error instanceof AlvariumError ? error.code : undefined
  const status = (code && STATUS[code]) ?? 500
  const headers = { 'Content-Type': 'application/json', ...HEADERS[status] }
  return { status, headers, body: JSON.stringify({ code: status === 500 ? 'INTERNAL' : code }) }
}
