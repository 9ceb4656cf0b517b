import { AlvariumError, type ErrorCode } from 'alvarium-sdk'
import { answerTo } from 'alvarium-sdk/http'
import { describe, expect, it } from 'vitest'

const failed = (code: ErrorCode) =>
  new AlvariumError(code, 'wss://user:secret@broker', { cause: new Error('/etc/private.key') })

describe('what a service answers', () => {
  it.each([
    ['MESSAGE_MALFORMED', 400],
    ['PAYLOAD_INVALID', 400],
    ['SIGNER_UNKNOWN', 401],
    ['SIGNATURE_INVALID', 401],
    ['SIGNER_EXPIRED', 401],
    ['SIGNER_REVOKED', 401],
    ['PAYLOAD_MISMATCH', 401],
    ['BODY_TOO_LARGE', 413],
    ['QUEUE_FULL', 503],
    ['STREAM_TIMEOUT', 503],
    ['STREAM_CLOSED', 503],
    ['STORE_FAILED', 503],
  ] as const)('to %s is the code, with %i', (code, status) => {
    expect(answerTo(failed(code))).toMatchObject({ status, body: `{"code":"${code}"}` })
  })

  it.each([
    ['options that cannot work', failed('CONFIG_INVALID')],
    ['a message that the broker rejects', failed('STREAM_REFUSED')],
    ['a mistake in the code', new TypeError('secret')],
    ['nothing', undefined],
  ])('to %s is nothing but 500', (_, error) => {
    expect(answerTo(error)).toEqual({
      status: 500,
      headers: { 'Content-Type': 'application/json' },
      body: '{"code":"INTERNAL"}',
    })
  })

  it('says when to come back, or that a signature is needed', () => {
    expect(answerTo(failed('QUEUE_FULL')).headers).toMatchObject({ 'Retry-After': '5' })
    expect(answerTo(failed('SIGNATURE_INVALID')).headers).toMatchObject({ 'WWW-Authenticate': 'Signature' })
  })

  it("is what fetch's Response takes", async () => {
    const answer = answerTo(failed('QUEUE_FULL'))
    const response = new Response(answer.body, answer)
    expect([response.status, response.headers.get('Retry-After'), await response.json()]).toEqual([
      503,
      '5',
      { code: 'QUEUE_FULL' },
    ])
  })
})
