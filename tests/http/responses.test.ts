import { generateKey, verifyBytes } from 'alvarium-sdk'
import {
  contentDigest,
  type PlainResponse,
  type SignResponseOptions,
  signRequest,
  signResponse,
  type VerifyResponseOptions,
  verifyRequest,
  verifyResponse,
} from 'alvarium-sdk/http'
import { describe, expect, it } from 'vitest'
import { fromBase64, utf8 } from '../support/bytes.js'
import { codeOf, failure, typeError } from '../support/failure.js'
import { keys, signer } from '../support/requests.js'
import { rfc9421 } from '../support/vectors.js'

const A_HUNDRED_YEARS = 3_155_760_000_000
const vectors = rfc9421()
/** A Buffer's slice() shares its memory; browsers have none. */
const bodies: [string, (text: string) => Uint8Array][] = [['a Uint8Array', utf8]]
if (globalThis.Buffer) bodies.push(['a Buffer', (text) => Buffer.from(text)])

// claim: http-9
describe.each(vectors.responses)(
  'the response of RFC 9421, $name, which is signed with P-256',
  (recorded) => {
    const { status, headers, isBound } = recorded
    const body = utf8(recorded.body)
    const components = isBound ? ['@status', '"@method";req', '"content-digest";req'] : undefined
    const options = {
      keys: { 'test-key-ecc-p256': vectors.p256 },
      maxAgeMs: A_HUNDRED_YEARS,
      components,
      request: isBound ? vectors.request : undefined,
      body,
    }
    const verify = (response: PlainResponse, more: Partial<VerifyResponseOptions> = {}) =>
      verifyResponse(response, { ...options, ...more })

    it('verifies', async () => {
      expect(await verify({ status, headers })).toMatchObject({ keyId: 'test-key-ecc-p256' })
      expect(await verify(new Response(recorded.body, { status, headers }))).toBeDefined()
      const rawHeaders = Object.entries(headers).flat()
      expect(await verifyResponse({ statusCode: status, rawHeaders }, options)).toBeDefined()
    })

    it.each([
      ['the status', { status: 201 }],
      ['a signed header', { headers: { ...headers, 'Content-Type': 'text/plain' } }],
      ['the digest', { headers: { ...headers, 'Content-Digest': 'sha-256=:YWJj:' } }],
      ['the signature', { headers: { ...headers, Signature: headers['Signature']?.replace(/:./, ':/') } }],
    ])('does not verify after a change to %s', async (_, altered) => {
      const code = await codeOf(() => verify({ status, headers, ...altered } as PlainResponse))
      expect(code).toBe('SIGNATURE_INVALID')
    })

    it('does not verify with a different body', async () => {
      expect(await codeOf(() => verify({ status, headers }, { body: utf8('{}') }))).toBe('PAYLOAD_MISMATCH')
    })

    it.each(bodies)(
      'is verified with the body as it was when the call was made, whether the body is %s',
      async (_, bytesOf) => {
        const bytes = bytesOf(recorded.body)
        const verified = verify({ status, headers }, { body: bytes })
        bytes.fill(0)
        expect(await verified).toBeDefined()
        const later = bytesOf(recorded.body).fill(0)
        const refused = codeOf(() => verify({ status, headers }, { body: later }))
        later.set(utf8(recorded.body))
        expect(await refused).toBe('PAYLOAD_MISMATCH')
      },
    )

    it.each([
      ['an object', {}],
      ['a text', recorded.body],
      ['nothing', undefined],
    ])('makes verifyResponse reject with a TypeError if the body is %s', async (_, other) => {
      const asked = verify({ status, headers }, { body: other as never })
      expect((await typeError(() => asked)).message).toMatch(/^body: expected a Uint8Array, got /)
    })

    it('is refused if it names an algorithm other than that of its key', async () => {
      const input = `${headers['Signature-Input']};alg="ed25519"`
      const error = await failure(() => verify({ status, headers: { ...headers, 'Signature-Input': input } }))
      expect(error.message).toBe('signature-input: expected alg ecdsa-p256-sha256, got "ed25519"')
    })

    it('is signed over the bytes that RFC 9421 prints', async () => {
      const [, label = '', list = ''] = /^([^=]+)=\(([^)]*)\)/.exec(headers['Signature-Input'] ?? '') ?? []
      const made = { signingKey: vectors.key, keyId: 'test-key-ecc-p256', label, request: options.request }
      const created = Number(/created=(\d+)/.exec(recorded.base)?.[1])
      const signed = await signResponse(
        { status, headers },
        { ...made, created, components: list.split(' ') },
      )
      const signature = fromBase64(signed['Signature']?.slice(label.length + 2, -1) ?? '')
      const { d: _, ...verifyingKey } = vectors.key
      expect(verifyBytes(verifyingKey, utf8(recorded.base), signature)).toBe(true)
    })
  },
)

describe('a signed response with a Content-Encoding', () => {
  const encoded = utf8('as gzip has it')
  const answer = async (coding: string) => {
    const headers = { 'Content-Encoding': coding }
    const signed = await signResponse({ status: 200, headers }, { ...signer, body: encoded })
    return { status: 200, headers: { ...headers, ...signed } }
  }

  it('must be verified with its compressed bytes, as the error for decompressed bytes explains', async () => {
    expect(await verifyResponse(await answer('gzip'), { keys, body: encoded })).toBeDefined()
    const error = await failure(async () =>
      verifyResponse(await answer('gzip'), { keys, body: utf8('decoded') }),
    )
    expect(error.message).toBe(
      'body: does not match the signed content-digest (it was sent in content-encoding "gzip", which fetch decodes: give the bytes as sent, or ask with accept-encoding: identity)',
    )
  })

  it.each(['identity', 'Identity'])(
    'is refused without advice about compression if the encoding is %s, which means uncompressed',
    async (coding) => {
      const error = await failure(async () =>
        verifyResponse(await answer(coding), { keys, body: utf8('other') }),
      )
      expect(error.message).toMatch(/the signed content-digest$/)
    },
  )
})

describe('a response that is signed with its request', () => {
  const body = utf8('{"stored":true}')
  const asked = { method: 'POST', url: 'https://api.example/readings?unit=K', headers: {} }
  const plain = { status: 201, headers: { 'Content-Type': 'application/json' } }
  const exchange = async (options: Partial<SignResponseOptions> = {}, nonce = 'n-1') => {
    const signing = { ...signer, format: 'rfc9421', nonce, body: utf8('{}') } as const
    const request = { ...asked, headers: await signRequest(asked, signing) }
    const signed = await signResponse(plain, { ...signer, request, body, ...options })
    return { request, response: { ...plain, headers: { ...plain.headers, ...signed } } }
  }
  const verify = async (
    { response, request }: Awaited<ReturnType<typeof exchange>>,
    options: Partial<VerifyResponseOptions> = {},
  ) => verifyResponse(response, { keys, request, body, ...options })

  // claim: threats-39
  it('is signed over the status, the body, and the components and signature of the request', async () => {
    const verified = await verify(await exchange())
    expect(verified).toMatchObject({ keyId: 'k', label: 'sig1' })
    expect(verified.components).toEqual([
      '"@status"',
      '"content-digest"',
      '"@method";req',
      '"@authority";req',
      '"@path";req',
      '"@query";req',
      '"content-digest";req',
      '"signature";req;key="sig1"',
    ])
  })

  // claim: threats-40, http-10
  it('does not verify as the answer to another request, nor to the same request signed again', async () => {
    const { response } = await exchange()
    const again = await exchange({}, 'n-2')
    expect(await codeOf(() => verify({ response, request: again.request }))).toBe('SIGNATURE_INVALID')
    const { request } = await exchange()
    for (const altered of [
      { method: 'PUT' },
      { url: 'https://api.example/readings' },
      { url: 'https://api.example.net/readings?unit=K' },
      { headers: { ...request.headers, 'Content-Digest': await contentDigest(utf8('other')) } },
    ]) {
      const other = { ...request, ...altered }
      expect(await codeOf(() => verify({ response, request: other }))).toBe('SIGNATURE_INVALID')
    }
  })

  it('is refused if its signature does not cover the required components of the request', async () => {
    const { response, request } = await exchange({ request: undefined })
    const error = await failure(() => verify({ response, request }))
    expect(error.code).toBe('SIGNATURE_INVALID')
    expect(error.message).toContain('"signature";req;key="sig1" among the signed components')
    expect(await verifyResponse(response, { keys, body })).toMatchObject({ keyId: 'k' })
  })

  it('is refused by default if its status is not signed', async () => {
    const { response } = await exchange({ request: undefined, components: ['content-digest'] })
    const error = await failure(() => verifyResponse(response, { keys, body }))
    expect(error.message).toBe(
      'signature-input: expected "@status" among the signed components, got "content-digest"',
    )
    const told = { keys, body, components: ['content-digest'] }
    expect(await verifyResponse(response, told)).toBeDefined()
  })

  it('cannot be verified without the request', async () => {
    const { response } = await exchange()
    const error = await failure(() => verifyResponse(response, { keys, body }))
    const expected = 'request: needs the request that is answered, for the signed component "@method";req'
    expect([error.code, error.message]).toEqual(['CONFIG_INVALID', expected])
  })

  it("may cover the request's Content-Digest, which is not compared with the response's body", async () => {
    const components = ['@status', '"content-digest";req']
    const made = await exchange({ components })
    expect(await verify(made, { components, body: undefined })).toBeDefined()
  })

  it("verifies whatever the order of a component's parameters", async () => {
    const components = ['@status', '"signature";req;key="sig1"']
    const made = await exchange({ components })
    const turned = ['@status', '"signature";key="sig1";req']
    expect(await verify(made, { components: turned, body: undefined })).toBeDefined()
    expect(await codeOf(() => exchange({ components: [...components, ...turned.slice(1)] }))).toBe(
      'MESSAGE_MALFORMED',
    )
  })

  it("needs the label of the request's signature if the request has several", async () => {
    const { request } = await exchange()
    const proxy = await signRequest(request, { ...signer, format: 'rfc9421', label: 'proxy' })
    const both = (name: 'Signature' | 'Signature-Input') => [request.headers[name] ?? '', proxy[name] ?? '']
    const headers = {
      ...request.headers,
      Signature: both('Signature'),
      'Signature-Input': both('Signature-Input'),
    }
    const forwarded = { ...request, headers }
    const sign = (more: object) => signResponse(plain, { ...signer, request: forwarded, body, ...more })
    expect((await failure(() => sign({}))).message).toContain('or requestLabel to choose one, got 2')
    const signed = await sign({ requestLabel: 'sig1' })
    const response = { ...plain, headers: { ...plain.headers, ...signed } }
    // The client has no knowledge of the proxy.
    expect(await verify({ response, request })).toBeDefined()
  })

  it('cannot be signed if the request is null or signed in the dialect of the other SDKs', async () => {
    const { message } = await typeError(() => exchange({ request: null as never }))
    expect(message).toBe('request: expected an object with method, url and headers, got null')
    for (const Signature of ['ab'.repeat(64), '12'.repeat(64)]) {
      const request = { ...asked, headers: { Signature } }
      expect(await codeOf(() => exchange({ request }))).toBe('MESSAGE_MALFORMED')
      const components = ['@status', '"signature";req']
      expect(await exchange({ request, components })).toBeDefined()
    }
  })

  it('verifies behind a proxy, with the request as the client sent it', async () => {
    const { request } = await exchange()
    const headers = Object.entries({ ...request.headers, Host: '10.0.0.7' })
    const incoming = { method: 'POST', url: '/readings?unit=K', rawHeaders: headers.flat() }
    const made = { ...signer, request: incoming, origin: 'https://api.example', body }
    const signed = await signResponse(plain, made)
    expect(
      await verify({ request, response: { ...plain, headers: { ...plain.headers, ...signed } } }),
    ).toBeDefined()
  })

  it('can be refused because of its age, its tag or its nonce, like a request', async () => {
    const old = await exchange({ created: 1_700_000_000 })
    expect(await codeOf(() => verify(old))).toBe('SIGNATURE_INVALID')
    const made = await exchange({ tag: 'answers', nonce: 'a-1' })
    expect(await verify(made, { tag: 'answers', isNonceFresh: () => true })).toMatchObject({ nonce: 'a-1' })
    expect(await codeOf(() => verify(made, { tag: 'others' }))).toBe('MESSAGE_MALFORMED')
    expect(await codeOf(() => verify(made, { isNonceFresh: () => false }))).toBe('SIGNATURE_INVALID')
  })

  it('is not accepted as a request, and a request is not accepted as a response', async () => {
    const { request, response } = await exchange()
    const asRequest = { ...asked, headers: response.headers }
    expect(await codeOf(() => verifyRequest(asRequest, { format: 'rfc9421', keys, body }))).toBe(
      'MESSAGE_MALFORMED',
    )
    expect(await codeOf(() => verifyResponse({ ...plain, headers: request.headers }, { keys, body }))).toBe(
      'MESSAGE_MALFORMED',
    )
  })

  it.each([null, 'HTTP/1.1 200 OK', { status: 200 }])(
    'cannot be verified if the response is %j',
    async (given) => {
      const { message } = await typeError(() => verifyResponse(given as never, { keys }))
      expect(message).toContain('response: expected an object with status and headers, got ')
    },
  )

  it.each([undefined, 20, 1000, 200.5, '200'])(
    'must have a status of three digits, not %j',
    async (status) => {
      const given = { status, headers: {} } as never
      const error = await failure(() => signResponse(given, { ...signer }))
      expect(error.code).toBe('MESSAGE_MALFORMED')
      expect(error.message).toContain('status: expected a status of three digits')
    },
  )

  it.each([
    [
      { components: ['@status'] },
      'signResponse.components: needs a component of the request, such as "@method";req',
    ],
    [
      { request: undefined, components: ['"@method";req'] },
      'signResponse.request: needs the request, because',
    ],
    [
      { request: undefined, requestLabel: 'sig1' },
      'signResponse.request: needs the request whose signature requestLabel chooses',
    ],
    [
      { components: ['@method'] },
      'signResponse.components: expected names of components of a response, got "@method"',
    ],
    [
      { components: ['"@status";req'] },
      'signResponse.components: expected names of components of a response',
    ],
    [{ format: 'alvarium' }, 'signResponse.format: expected rfc9421, as responses are signed by it alone'],
    [{ requestlabel: 'x' }, 'signResponse.requestlabel: is not a known option (requestLabel?)'],
    [{ expires: 1, created: 2 }, 'signResponse.expires: expected a time not before created (2), got 1'],
  ])('cannot be signed with an invalid option, and the error names it: %j', async (options, message) => {
    const error = await failure(() => exchange(options as never))
    expect([error.code, error.message]).toEqual(['CONFIG_INVALID', expect.stringContaining(message)])
  })

  it('is not verified with invalid options, and the error names the option', async () => {
    const made = await exchange()
    for (const [options, message] of [
      [{ keys: {} }, 'verifyResponse.keys: expected an object with at least one public key'],
      [{ origin: 'https://api.example' }, 'verifyResponse.origin: is not a known option'],
      [{ components: ['@status'] }, 'verifyResponse.components: needs a component of the request'],
    ] as const) {
      const error = await failure(() => verify(made, options as never))
      expect([error.code, error.message]).toEqual(['CONFIG_INVALID', expect.stringContaining(message)])
    }
    expect((await failure(() => verifyResponse(plain, undefined as never))).code).toBe('CONFIG_INVALID')
  })

  // claim: http-11
  it('can be signed only with an Ed25519 key', async () => {
    const { signingKey } = await generateKey({ algorithm: 'P-256' })
    const error = await failure(() => exchange({ signingKey }))
    expect(error.message).toBe(
      'signResponse.signingKey: expected an Ed25519 key, got a key of another algorithm',
    )
  })
})
