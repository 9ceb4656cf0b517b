import { AlvariumError, type ErrorCode } from 'alvarium-sdk'
import { answerTo } from 'alvarium-sdk/http'
import { describe, expect, it } from 'vitest'

const failed = (code: ErrorCode) =>
  new AlvariumError(code, 'wss://user:secret@broker', { cause: new Error('/etc/private.key') })

/** The status of each code of the package; a 500 reveals no details. */
const STATUS: Readonly<Record<ErrorCode, number>> = {
  MESSAGE_MALFORMED: 400,
  PAYLOAD_INVALID: 400,
  SIGNER_UNKNOWN: 401,
  SIGNATURE_INVALID: 401,
  SIGNER_EXPIRED: 401,
  SIGNER_REVOKED: 401,
  PAYLOAD_MISMATCH: 401,
  SIGNER_NOT_ALLOWED: 403,
  BODY_TOO_LARGE: 413,
  QUEUE_FULL: 503,
  STREAM_UNREACHABLE: 503,
  STREAM_UNAVAILABLE: 503,
  STREAM_FAILED: 503,
  STREAM_LOST: 503,
  STREAM_TIMEOUT: 503,
  STREAM_CLOSED: 503,
  STORE_FAILED: 503,
  SIGNER_FAILED: 503,
  CONFIG_INVALID: 500,
  KEY_INVALID: 500,
  CODEC_FAILED: 500,
  ANNOTATOR_FAILED: 500,
  FILE_UNREADABLE: 500,
  PACK_UNREADABLE: 500,
  PROOF_INVALID: 500,
  WITNESSES_MISSING: 500,
  STREAM_REFUSED: 500,
  STREAM_SUSPECT: 500,
  STREAM_LOCKED: 500,
  STORE_LOCKED: 500,
  STORE_DAMAGED: 500,
  CORE_FAILED: 500,
  CORE_UNAVAILABLE: 500,
}
const HEADERS: Readonly<Record<number, object>> = {
  401: { 'WWW-Authenticate': 'Signature' },
  503: { 'Retry-After': '5' },
}

describe('answerTo, for an error of a service,', () => {
  it.each(Object.entries(STATUS))(
    'turns %s into status %i, and shows the error code unless the status is 500',
    (code, status) => {
      expect(answerTo(failed(code as ErrorCode))).toEqual({
        status,
        headers: { 'Content-Type': 'application/json', ...HEADERS[status] },
        body: `{"code":"${status === 500 ? 'INTERNAL' : code}"}`,
      })
    },
  )

  it.each([
    ['a mistake in the code', new TypeError('secret')],
    ['undefined', undefined],
  ])('turns %s into status 500 without details', (_, error) => {
    const { status, body } = answerTo(error)
    expect([status, body]).toEqual([500, '{"code":"INTERNAL"}'])
  })

  it("returns options that fetch's Response accepts", async () => {
    const answer = answerTo(failed('QUEUE_FULL'))
    const response = new Response(answer.body, answer)
    expect([response.status, response.headers.get('Retry-After'), await response.json()]).toEqual([
      503,
      '5',
      { code: 'QUEUE_FULL' },
    ])
  })
})
