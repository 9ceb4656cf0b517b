// Answers that a man in the middle keeps, alters or passes on, and the verdict of verifyResponse on each.

import {
  contentDigest,
  type HttpRequest,
  type SignResponseOptions,
  signRequest,
  signResponse,
  type VerifyResponseOptions,
  verifyResponse,
} from 'alvarium-sdk/http'
import { describe, expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { codeOf, failure } from '../support/failure.js'
import { keys, signer } from '../support/requests.js'

const URL_ASKED = 'https://api.example/transfer?account=7'
const [small, large, done] = ['{"amount":1}', '{"amount":1000000}', '{"ok":true}'].map(utf8) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
]
const post = { method: 'POST', url: URL_ASKED, headers: { 'Content-Type': 'application/json' } }
const get = { method: 'GET', url: URL_ASKED, headers: {} }

async function answerTo(request: HttpRequest, more: Partial<SignResponseOptions> = {}) {
  return { status: 200, headers: await signResponse({ status: 200, headers: {} }, signing(request, more)) }
}
const signing = (request: HttpRequest | undefined, more: Partial<SignResponseOptions>) => ({
  ...signer,
  request,
  body: done,
  ...more,
})
type Answer = Awaited<ReturnType<typeof answerTo>>
const verify = (answer: Answer, request: HttpRequest, more: Partial<VerifyResponseOptions> = {}) =>
  verifyResponse(answer, { keys, request, body: done, ...more })

describe('an answer to a request whose body has no digest', () => {
  // claim: http-12
  it.each([
    ['a plain object', { ...post, body: large }],
    ['a Request of fetch', new Request(URL_ASKED, { ...post, body: Uint8Array.from(large) })],
    ['a plain object without its body', post],
  ])('is refused when it is sent for a request with another body, as %s', async (_, request) => {
    const error = await failure(async () => verify(await answerTo(post), request))
    expect([error.code, error.message]).toEqual([
      'CONFIG_INVALID',
      'verifyResponse.request: needs a content-digest that binds the response to the body of the POST, or acceptUnboundBody: true',
    ])
  })

  it('is accepted with acceptUnboundBody, and reports that the body of the request is not bound', async () => {
    const verified = await verify(await answerTo(post), post, { acceptUnboundBody: true })
    expect(verified.notBound).toEqual(['request body'])
  })

  it('is refused for a GET request that has a body, or headers that announce a body', async () => {
    const answer = await answerTo(get)
    for (const request of [
      { ...get, body: small },
      { ...get, headers: { 'Content-Length': '12' } },
      { ...get, headers: { 'Transfer-Encoding': 'chunked' } },
    ]) {
      expect(await codeOf(() => verify(answer, request))).toBe('CONFIG_INVALID')
    }
  })

  it('is accepted for a GET and a HEAD, which have no body', async () => {
    for (const request of [get, { ...get, method: 'HEAD' }, new Request(URL_ASKED)]) {
      expect((await verify(await answerTo(request), request)).notBound).toEqual([])
    }
  })

  it('is refused if the digest of the request uses an algorithm that anyone can forge', async () => {
    const request = { ...post, headers: { 'Content-Digest': 'md5=:1B2M2Y8AsgTpgAmY7PhCfg==:' } }
    expect(await codeOf(async () => verify(await answerTo(request), request))).toBe('MESSAGE_MALFORMED')
  })
})

describe('an answer to a request whose body has a digest', () => {
  const asked = async (body: Uint8Array) => ({
    ...post,
    headers: { ...post.headers, 'Content-Digest': await contentDigest(body) },
  })

  it('is bound to the whole request, and reports nothing unbound', async () => {
    const request = await asked(small)
    expect((await verify(await answerTo(request), request)).notBound).toEqual([])
  })

  it('is refused for the same request with another body and the digest of that body', async () => {
    const answer = await answerTo(await asked(small))
    expect(await codeOf(async () => verify(answer, await asked(large)))).toBe('SIGNATURE_INVALID')
  })

  it('is refused for a request with another body and the old digest', async () => {
    const request = { ...(await asked(small)), body: large }
    expect(await codeOf(async () => verify(await answerTo(request), request))).toBe('PAYLOAD_MISMATCH')
    const text = { ...(await asked(small)), body: '{"amount":1000000}' }
    expect(await codeOf(async () => verify(await answerTo(text), text))).toBe('PAYLOAD_MISMATCH')
    const same = { ...(await asked(small)), body: '{"amount":1}' }
    expect(await verify(await answerTo(same), same)).toBeDefined()
  })

  it('reports that the body is not bound if components omit its digest', async () => {
    const components = ['@status', '"@method";req', 'content-digest']
    const request = await asked(small)
    const verified = await verify(await answerTo(request, { components }), request, { components })
    expect(verified.notBound).toEqual(['request body'])
  })
})

describe('an answer that is verified without its request', () => {
  it('reports that it is bound to no request', async () => {
    const answer = await answerTo(get, { request: undefined })
    expect((await verifyResponse(answer, { keys, body: done })).notBound).toEqual(['request'])
  })
})

describe('an answer that is sent for another request', () => {
  it.each([
    ['another method', { method: 'HEAD' }],
    ['another method with no body', { method: 'DELETE' }],
    ['another host', { url: 'https://evil.example/transfer?account=7' }],
    ['another port', { url: 'https://api.example:8443/transfer?account=7' }],
    ['a path in another encoding', { url: 'https://api.example/%74ransfer?account=7' }],
    ['a path that resolves to the same path', { url: 'https://api.example/x/../transfer?account=7' }],
    ['a longer query', { url: `${URL_ASKED}&account=8` }],
    ['a query in another order', { url: 'https://api.example/transfer?account=7&' }],
    ['no query', { url: 'https://api.example/transfer' }],
  ])('is refused for %s', async (_, change) => {
    const answer = await answerTo(get)
    expect(await codeOf(() => verify(answer, { ...get, ...change }))).toMatch(
      /^(?:SIGNATURE_INVALID|CONFIG_INVALID)$/,
    )
  })

  it('is refused for the same request, signed again with another nonce', async () => {
    const ask = async (nonce: string) => ({
      ...get,
      headers: await signRequest(get, { ...signer, format: 'rfc9421', nonce }),
    })
    const answer = await answerTo(await ask('n-1'))
    expect(await codeOf(async () => verify(answer, await ask('n-2')))).toBe('SIGNATURE_INVALID')
  })

  it('is accepted for the same request with its host and method in another case', async () => {
    const answer = await answerTo(get)
    expect(await verify(answer, { ...get, url: 'https://API.example:443/transfer?account=7' })).toBeDefined()
    expect(await verify(answer, { ...get, method: 'get' })).toBeDefined()
  })
})

describe('an answer that is altered or repeated', () => {
  it.each([
    ['another status', (answer: Answer) => ({ ...answer, status: 201 })],
    ['another body', (answer: Answer) => answer],
    [
      'a second digest next to the first',
      (answer: Answer) => withHeader(answer, 'content-digest', 'sha-512=:YQ==:'),
    ],
    [
      'another time of its signature',
      (answer: Answer) => withInput(answer, /created=\d+/, `created=${seconds() - 30}`),
    ],
    [
      'an added expiry of its signature',
      (answer: Answer) => withInput(answer, /;keyid/, `;expires=${seconds() + 9};keyid`),
    ],
    ['an added nonce', (answer: Answer) => withInput(answer, /;keyid/, ';nonce="n";keyid')],
    ['a status that is no longer signed', (answer: Answer) => withInput(answer, /"@status" /, '')],
    [
      'a component that is signed twice',
      (answer: Answer) => withInput(answer, /"@status"/, '"@status" "@status"'),
    ],
  ])('is refused with %s', async (what, alter) => {
    const body = what === 'another body' ? utf8('{"ok":false}') : done
    const code = await codeOf(async () => verify(alter(await answerTo(get)), get, { body }))
    expect(code).toMatch(/^(?:SIGNATURE_INVALID|PAYLOAD_MISMATCH|MESSAGE_MALFORMED)$/)
  })

  it.each([
    ['in the future', 600, undefined],
    ['long ago', -600, undefined],
    ['earlier, and the signature has expired', -200, -100],
  ])('is refused when it was signed %s', async (_, created, expires) => {
    const more = { created: seconds() + created, ...(expires && { expires: seconds() + expires }) }
    expect(await codeOf(async () => verify(await answerTo(get, more), get))).toBe('SIGNATURE_INVALID')
  })

  it('is refused, if nonces must be new, when its nonce is missing or was seen before', async () => {
    const seen = new Set<string>()
    const isNonceFresh = (nonce: string) => !seen.has(nonce) && Boolean(seen.add(nonce))
    const answer = await answerTo(get, { nonce: 'a-1' })
    expect(await verify(answer, get, { isNonceFresh })).toMatchObject({ nonce: 'a-1' })
    expect(await codeOf(() => verify(answer, get, { isNonceFresh }))).toBe('SIGNATURE_INVALID')
    expect(await codeOf(async () => verify(await answerTo(get), get, { isNonceFresh }))).toBe(
      'SIGNATURE_INVALID',
    )
  })
})

const seconds = () => Math.floor(Date.now() / 1000)

function withHeader(answer: Answer, name: string, value: string): Answer {
  const given = answer.headers['Content-Digest'] ?? ''
  return { ...answer, headers: { ...answer.headers, 'Content-Digest': `${given}, ${value}`, [name]: given } }
}

function withInput(answer: Answer, from: RegExp, to: string): Answer {
  const input = answer.headers['Signature-Input'] ?? ''
  return { ...answer, headers: { ...answer.headers, 'Signature-Input': input.replace(from, to) } }
}
