import { keyIdOf, verifyBytes } from 'alvarium-sdk'
import {
  contentDigest,
  type PlainRequest,
  type Rfc9421Options,
  type Rfc9421SignOptions,
  signRequest,
  verifyRequest,
} from 'alvarium-sdk/http'
import { describe, expect, it } from 'vitest'
import { fromBase64, utf8 } from '../support/bytes.js'
import { codeOf, failure } from '../support/failure.js'
import { rfc9421 } from '../support/vectors.js'

const { key, request, body, created, bases, signed, components, targets, digests } = rfc9421()
const { d: _, ...verifyingKey } = key
const keys = { 'test-key-ed25519': verifyingKey }
const A_HUNDRED_YEARS = 3_155_760_000_000
const lasting = { format: 'rfc9421', keys, maxAgeMs: A_HUNDRED_YEARS } as const

/** Returns whether the signature verifies over exactly the base that the RFC prints. */
async function isSigned(base: string, given: PlainRequest, options: Partial<Rfc9421SignOptions>) {
  const headers = await signRequest(given, {
    format: 'rfc9421',
    signingKey: key,
    keyId: 'k',
    created,
    ...options,
  } as Rfc9421SignOptions)
  const [, base64 = ''] = /^[^=]+=:(.+):$/.exec(headers['Signature'] ?? '') ?? []
  return verifyBytes(verifyingKey, utf8(base), fromBase64(base64))
}

describe('the examples in RFC 9421', () => {
  it.each(bases)(
    'contain the signature base that signRequest signs: $name',
    async ({ base, components, keyId, tag }) => {
      expect(await isSigned(base, request, { components, keyId, tag })).toBe(true)
    },
  )

  it.each(signed)(
    'are signed by signRequest as printed: $name',
    async ({ input, signature, label, components, ...own }) => {
      const options = { format: 'rfc9421', signingKey: key, keyId: 'test-key-ed25519', created } as const
      expect(await signRequest(own.request ?? request, { ...options, label, components })).toEqual({
        'Signature-Input': input,
        Signature: signature,
      })
    },
  )

  it.each(signed)('are verified: $name', async ({ input, signature, label, components, ...own }) => {
    const plain = own.request ?? request
    const headers = { ...plain.headers, 'Signature-Input': input, Signature: signature }
    expect(await verifyRequest({ ...plain, headers }, { ...lasting, components })).toEqual({
      keyId: 'test-key-ed25519',
      components: components.map((name) => `"${name}"`),
      created,
      label,
    })
  })

  it.each(components)(
    'contain the line that signRequest signs for %s: %s',
    async (_, component, headers, line) => {
      const parameters = `"@signature-params": (${component.startsWith('"') ? component : `"${component}"`});created=${created};keyid="k"`
      const given = { method: 'GET', url: 'https://example.com/', headers }
      expect(await isSigned(`${line}\n${parameters}`, given, { components: [component] })).toBe(true)
    },
  )

  it.each(targets)(
    'contain the value that signRequest signs for %s: %s',
    async (_, component, url, value) => {
      const identifier = component.startsWith('"') ? component : `"${component}"`
      const base = `${identifier}: ${value}\n"@signature-params": (${identifier});created=${created};keyid="k"`
      expect(await isSigned(base, { method: 'POST', url, headers: {} }, { components: [component] })).toBe(
        true,
      )
    },
  )

  it.each(digests)(
    'contain the Content-Digest that contentDigest returns for %j with %s (RFC 9530)',
    async (text, algorithm, header) => {
      expect(await contentDigest(utf8(text), algorithm)).toBe(header)
    },
  )
})

describe('a request that is signed by RFC 9421', () => {
  const plain = { method: 'POST', url: 'https://api.example.com/readings?unit=K', headers: {} }
  const signing = { format: 'rfc9421', signingKey: key, keyId: 'test-key-ed25519' } as const
  const sign = (options: Partial<Rfc9421SignOptions> = {}, given: PlainRequest = plain) =>
    signRequest(given, { ...signing, body: utf8(body), ...options })
  const verify = (
    headers: Record<string, string | string[]>,
    options: Partial<Rfc9421Options> = {},
    given: object = {},
    bytes: Uint8Array | undefined = utf8(body),
  ) => verifyRequest({ ...plain, ...given, headers }, { format: 'rfc9421', keys, body: bytes, ...options })

  // claim: http-1
  it('is signed by default with method, authority, path, query and body', async () => {
    const headers = await sign()
    expect(headers['Content-Digest']).toBe('sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:')
    expect((await verify(headers)).components).toEqual([
      '"@method"',
      '"@authority"',
      '"@path"',
      '"@query"',
      '"content-digest"',
    ])
  })

  it("may be passed as fetch's Request, or with an array of headers", async () => {
    const headers = await sign()
    const fetched = new Request(plain.url, { method: 'POST', headers, body })
    const bytes = new Uint8Array(await fetched.clone().arrayBuffer())
    expect(await verifyRequest(fetched, { format: 'rfc9421', keys, body: bytes })).toMatchObject({
      label: 'sig1',
    })
    expect(await verify(headers, {}, { headers: Object.entries(headers) })).toBeDefined()
  })

  it.each([
    [
      'the path in a spelling that servers may resolve',
      { url: 'https://api.example.com/x/../readings?unit=K' },
    ],
    ['the host', { url: 'https://api.example.net/readings?unit=K' }],
    ['the port', { url: 'https://api.example.com:8443/readings?unit=K' }],
  ])('does not verify after a change to %s', async (_, altered) => {
    const headers = await sign()
    expect(await codeOf(() => verify(headers, {}, altered))).toBe('SIGNATURE_INVALID')
  })

  describe.each(['"content-digest";key="sha-256"', '"content-digest";bs'])(
    'with a body that is covered by the component %s',
    (component) => {
      const covering = { components: ['@method', '@authority', '@path', '@query', component] }
      const signedBy = async (digest: string) => {
        const given = { 'Content-Digest': digest }
        return { ...given, ...(await sign(covering, { ...plain, headers: given })) }
      }

      it('verifies only with the signed body', async () => {
        const headers = await signedBy(await contentDigest(utf8(body)))
        expect(await verify(headers, covering)).toBeDefined()
        expect(await codeOf(() => verify(headers, covering, {}, utf8('other')))).toBe('PAYLOAD_MISMATCH')
      })
    },
  )

  it('is refused if the signed digest has an unknown algorithm, even if the header also has an unsigned known digest', async () => {
    const covering = { components: ['@method', '"content-digest";key="md5"'] }
    const given = { 'Content-Digest': 'md5=:YWJj:' }
    const headers = await sign(covering, { ...plain, headers: given })
    const beside = { 'Content-Digest': `${given['Content-Digest']}, ${await contentDigest(utf8('other'))}` }
    expect(await codeOf(() => verify({ ...headers, ...beside }, covering, {}, utf8('other')))).toBe(
      'MESSAGE_MALFORMED',
    )
  })

  it('is signed with the digest of the body, whatever parameter the component "content-digest" has', async () => {
    for (const component of ['"content-digest";key="sha-256"', '"content-digest";bs']) {
      const covering = { components: ['@method', component] }
      expect(await verify(await sign(covering), covering)).toBeDefined()
    }
  })

  it('is verified with the body as it was when the call was made', async () => {
    const bytes = utf8(body)
    const verified = verify(await sign(), {}, {}, bytes)
    bytes.fill(0)
    expect(await verified).toBeDefined()
  })

  // claim: threats-41
  it('is refused if the body is not signed, or only a part of the digest is signed', async () => {
    const bare = { components: ['@method', '@authority', '@path', '@query'] }
    const error = await failure(async () => verify(await sign(bare)))
    expect(error.code).toBe('SIGNATURE_INVALID')
    expect(error.message).toContain('"content-digest"')
    const part = { components: [...bare.components, '"content-digest";key="sha-256"'] }
    const given = { ...plain, headers: { 'Content-Digest': await contentDigest(utf8(body)) } }
    expect(await codeOf(async () => verify({ ...given.headers, ...(await sign(part, given)) }))).toBe(
      'SIGNATURE_INVALID',
    )
    expect(await verify(await sign(bare), bare)).toBeDefined()
  })

  it.each([
    ['repeated', 'sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:, sha-256=:YWJj:'],
    ['empty', ''],
  ])('is refused with a signed digest that is %s', async (_, digest) => {
    const given = { ...plain, headers: { 'Content-Digest': digest } }
    const headers = { ...given.headers, ...(await sign({}, given)) }
    expect(await codeOf(() => verify(headers))).toBe('MESSAGE_MALFORMED')
  })

  it('needs a tag and a fresh nonce if the options require them', async () => {
    const seen = new Set<string>()
    const options = {
      tag: 'readings',
      isNonceFresh: async (nonce: string) => !seen.has(nonce) && seen.add(nonce).has(nonce),
    }
    const headers = await sign({ tag: 'readings', nonce: 'n-1' })
    const forged = { ...headers, Signature: `sig1=:${btoa('x'.repeat(64))}:` }
    expect(await codeOf(() => verify(forged, options))).toBe('SIGNATURE_INVALID')
    expect(seen).toEqual(new Set())
    expect(await verify(headers, options)).toMatchObject({ tag: 'readings', nonce: 'n-1' })
    expect(await codeOf(() => verify(headers, options))).toBe('SIGNATURE_INVALID')
    const bare = await sign({ tag: 'readings' })
    expect(await codeOf(() => verify(bare, options))).toBe('SIGNATURE_INVALID')
    const other = await sign({ tag: 'writings', nonce: 'n-2' })
    expect(await codeOf(() => verify(other, options))).toBe('MESSAGE_MALFORMED')
  })

  it.each([undefined, null, 1, 'true', {}])('is refused if isNonceFresh answers %o', async (answer) => {
    const isNonceFresh = (() => answer) as never
    const error = await failure(async () => verify(await sign({ nonce: 'n-1' }), { isNonceFresh }))
    expect(error.code).toBe('SIGNATURE_INVALID')
    expect(error.message).toMatch(/^nonce: expected true or false from isNonceFresh, got /)
  })

  it('may have several signatures if the option label names the one to verify', async () => {
    const [ours, others] = [await sign(), await sign({ label: 'proxy', keyId: 'elsewhere' })]
    const both = {
      ...ours,
      'Signature-Input': [ours['Signature-Input'] ?? '', others['Signature-Input'] ?? ''],
      Signature: [ours['Signature'] ?? '', others['Signature'] ?? ''],
    }
    expect(await codeOf(() => verify(both))).toBe('MESSAGE_MALFORMED')
    expect(await verify(both, { label: 'sig1' })).toMatchObject({ label: 'sig1' })
    expect(await codeOf(() => verify(both, { label: 'proxy' }))).toBe('SIGNER_UNKNOWN')
    expect(await codeOf(() => verify(both, { label: 'sig2' }))).toBe('MESSAGE_MALFORMED')
  })

  it('cannot be signed with times in milliseconds', async () => {
    for (const times of [{ created: Date.now() }, { expires: Date.now() }]) {
      const error = await failure(() => sign(times))
      expect(error.code).toBe('CONFIG_INVALID')
      expect(error.message).toContain('expected whole seconds since 1970, not milliseconds')
    }
    expect(await sign({ created: 99_999_999_999 })).toHaveProperty('Signature')
  })

  const input = 'sig1=("@method");created=1;keyid="test-key-ed25519"'
  it.each([
    ['two signatures with one label', `${input}, ${input}`, 'MESSAGE_MALFORMED'],
    ['a repeated parameter', `${input};created=2`, 'MESSAGE_MALFORMED'],
    ['the component @signature-params', input.replace('@method', '@signature-params'), 'MESSAGE_MALFORMED'],
    [
      'a component named like a member of Object.prototype',
      input.replace('@method', '@constructor'),
      'MESSAGE_MALFORMED',
    ],
    ['the parameter req of responses', input.replace('"@method"', '"@method";req'), 'MESSAGE_MALFORMED'],
    ['a trailer', input.replace('"@method"', '"x";tr'), 'MESSAGE_MALFORMED'],
    ['a time that is not an integer', input.replace('=1', '=1.0'), 'MESSAGE_MALFORMED'],
    ['text that is not a dictionary', '"@method";created=1', 'MESSAGE_MALFORMED'],
  ])('is refused when Signature-Input contains %s', async (_, text, code) => {
    const headers = { 'Signature-Input': text, Signature: `sig1=:${btoa('x'.repeat(64))}:` }
    const options = { components: ['@method'], maxAgeMs: A_HUNDRED_YEARS }
    expect(await codeOf(() => verify(headers, options))).toBe(code)
  })

  it.each([
    ['a list', 'sig1=(:YWJj:)'],
    ['repeated', 'sig1=:YWJj:, sig1=:YWJk:'],
  ])('is refused when its signature is %s', async (_, Signature) => {
    expect(await codeOf(async () => verify({ ...(await sign()), Signature }))).toBe('MESSAGE_MALFORMED')
  })

  it('does not verify with a signature of the wrong length', async () => {
    const headers = { ...(await sign()), Signature: 'sig1=:YWJj:' }
    expect(await codeOf(() => verify(headers))).toBe('SIGNATURE_INVALID')
  })

  it('cannot be signed if a value is too long or contains invalid characters such as line ends', async () => {
    for (const value of ['a\r\nb', 'a\nb', 'a\0b', 'ü', 'x'.repeat(70_000)]) {
      const given = { ...plain, headers: { 'X-Value': value } }
      expect(await codeOf(() => sign({ components: ['x-value'] }, given))).toBe('MESSAGE_MALFORMED')
    }
    expect(await codeOf(() => sign({ nonce: 'a\nb' }))).toBe('CONFIG_INVALID')
    expect(await sign({ keyId: 'a"b\\c' })).toHaveProperty('Signature')
  })

  it('cannot be signed if a query parameter to sign is missing, repeated or not UTF-8', async () => {
    const component = '"@query-param";name="id"'
    for (const query of ['?id=1&id=2', '?ID=1', '', '?id=%ff']) {
      const given = { ...plain, url: `https://api.example.com/${query}` }
      expect(await codeOf(() => sign({ components: [component] }, given))).toBe('MESSAGE_MALFORMED')
    }
  })

  it('is refused if it names its key by the key id instead of the name in the option keys', async () => {
    expect(await codeOf(async () => verify(await sign({ keyId: keyIdOf(verifyingKey) })))).toBe(
      'SIGNER_UNKNOWN',
    )
  })

  // claim: threats-44
  it('is refused in the dialect of the other SDKs, and a request in that dialect is refused as RFC 9421', async () => {
    const headers = await sign()
    const asPeer = verifyRequest({ ...plain, headers }, { keys })
    expect(await codeOf(() => asPeer)).toBe('MESSAGE_MALFORMED')
    const peers = await signRequest(plain, { ...signing, format: 'alvarium', components: ['@method'] })
    expect(await codeOf(() => verify(peers))).toBe('MESSAGE_MALFORMED')
  })
})
