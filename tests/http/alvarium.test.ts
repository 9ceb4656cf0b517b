import { signRequest, type VerifyRequestOptions, verifyRequest } from 'alvarium-sdk/http'
import { describe, expect, it } from 'vitest'
import { codeOf, failure } from '../support/failure.js'
import { signedByPeers } from '../support/vectors.js'

const { method, headers, seedOfKey, requests } = signedByPeers()
const signingKey = { seed: seedOfKey }
const verifyingKey = '03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8'
const keyIdOf = (input: string) => /keyid="([^"]+)"/.exec(input)?.[1] ?? ''

describe.each(requests)('a request that the $sdk SDK signed: $url', (recorded) => {
  const { sdk: dialect, url, signatureInput, signature } = recorded
  const keyId = keyIdOf(signatureInput)
  const signed = { ...headers, 'Signature-Input': signatureInput, Signature: signature }
  const options: VerifyRequestOptions = { dialect, keys: { [keyId]: verifyingKey } }

  it('verifies', async () => {
    const found = await verifyRequest({ method, url, headers: signed }, options)
    expect(found).toMatchObject({ keyId, created: 1_646_146_637 })
    expect(found.components.slice(0, 2)).toEqual(['"@method"', '"@target-uri"'])
  })

  it('gets the same signature, byte for byte, when this SDK signs it', async () => {
    const components = [...(signatureInput.split(';')[0] ?? '').matchAll(/"([^"]+)"/g)].map(
      ([, name = '']) => name,
    )
    const made = { signingKey, keyId, dialect, components, created: 1_646_146_637 }
    expect(await signRequest({ method, url, headers }, made)).toEqual({
      'Signature-Input': signatureInput,
      Signature: signature,
    })
  })

  it.each([
    ['the method', { method: 'PUT' }],
    ['the URL', { url: `${url}&more=1` }],
    ['the host', { url: url.replace('example', 'sample') }],
    ['a header', { headers: { ...signed, 'Content-Type': 'text/plain' } }],
    ['the number of lines of a header', { headers: { ...signed, 'X-Two': [' a   b ', 'c', 'd'] } }],
  ])('does not verify after a change to %s', async (_, altered) => {
    const request = { method, url, headers: signed, ...altered }
    expect(await codeOf(() => verifyRequest(request, options))).toBe('SIGNATURE_INVALID')
  })
})

describe('a request with an encoded path or without a query', () => {
  const sign = (url: string, dialect: 'go' | 'java' | 'python', component: string) =>
    signRequest({ method, url, headers }, { signingKey, keyId: 'k', dialect, components: [component] })
  const verifies = async (url: string, dialect: 'go' | 'java' | 'python', signed: Record<string, string>) => {
    const request = { method, url, headers: { ...headers, ...signed } }
    return (await verifyRequest(request, { dialect, keys: { k: verifyingKey } })).keyId === 'k'
  }

  it('does not verify in the dialect of an SDK that serializes it differently', async () => {
    const encoded = 'http://example.com/a%20b'
    for (const [component, one, other] of [
      ['@path', 'go', 'python'],
      ['@path', 'java', 'python'],
      ['@query', 'go', 'java'],
    ] as const) {
      const signed = await sign(encoded, one, component)
      expect(await verifies(encoded, one, signed)).toBe(true)
      expect(await codeOf(() => verifies(encoded, other, signed))).toBe('SIGNATURE_INVALID')
    }
  })
})

describe('a request in the dialect of the other SDKs', () => {
  const url = 'http://example.com/foo?var1=&var2=2'
  const keys = { 'public.key': verifyingKey }
  const sign = (components: readonly string[], request: object = {}) =>
    signRequest({ method, url, headers, ...request }, { signingKey, keyId: 'public.key', components })
  const verify = async (altered: Record<string, string | string[]>, request: object = {}, options = {}) => {
    const signed = await sign(['@method', '@path', 'Content-Type'])
    const given = { method, url, ...request, headers: { ...headers, ...signed, ...altered } }
    return verifyRequest(given, { keys, ...options })
  }
  const input = '"@method" "@path" "Content-Type";created=1;keyid="public.key";alg="ed25519";'

  it.each([
    [
      'a key named like a member of Object.prototype',
      input.replace('public.key', 'constructor'),
      'SIGNER_UNKNOWN',
    ],
    ['no algorithm', input.replace('alg="ed25519";', ''), 'MESSAGE_MALFORMED'],
    ['no signed components', ';created=1;keyid="public.key";alg="ed25519";', 'MESSAGE_MALFORMED'],
    ['a missing header', input.replace('Content-Type', 'Content-Digest'), 'MESSAGE_MALFORMED'],
    ['a repeated component', input.replace('@path', '@method'), 'MESSAGE_MALFORMED'],
    ['a repeated parameter', input.replace(';created', ';keyid="x";created'), 'MESSAGE_MALFORMED'],
    [
      'a parameter whose name contains the name of another',
      input.replace('created=1', 'xkeyid'),
      'MESSAGE_MALFORMED',
    ],
    ['no quotes', input.replaceAll('"', ''), 'MESSAGE_MALFORMED'],
    ['nothing', '', 'MESSAGE_MALFORMED'],
  ])('is refused when Signature-Input contains %s', async (_, text, code) => {
    expect(await codeOf(() => verify({ 'Signature-Input': text }))).toBe(code)
  })

  it.each([
    ['repeated', ['ab'.repeat(64), 'cd'.repeat(64)]],
    ['missing', []],
    ['not hexadecimal', 'zz'.repeat(64)],
    ['too short', 'ab'.repeat(63)],
    ['empty', ''],
  ])('is refused when the Signature header is %s', async (_, Signature) => {
    expect(await codeOf(() => verify({ Signature }))).toBe('MESSAGE_MALFORMED')
  })

  it('is refused with two Signature-Input headers, because different software may read different ones', async () => {
    const [signed] = await Promise.all([sign(['@method'])])
    const twice = [signed['Signature-Input'] ?? '', input]
    expect(await codeOf(() => verify({ 'Signature-Input': twice }))).toBe('MESSAGE_MALFORMED')
  })

  it('is refused if a value contains a line end, which would add lines to the signed text', async () => {
    for (const request of [
      { headers: { 'Content-Type': 'text/plain\n"X" y' } },
      { url: 'http://example.com/foo%0A%22Content-Type%22%20text/plain' },
      { url: 'http://example.com/foo\n' },
      { url: 'http://example.com/foo?a="b' },
      { url: 'http://user:password@example.com/foo' },
      { url: '/foo' },
      { method: 'GET\n' },
      { url: 'http://example.com/%ff' },
    ]) {
      expect(await codeOf(() => sign(['@method', '@path', 'Content-Type'], request))).toBe(
        'MESSAGE_MALFORMED',
      )
    }
  })

  // claim: threats-37
  it.each(['../../etc/passwd', '/etc/alvarium/public.key', 'file:///keys/public.key', '..\\public.key'])(
    'is refused if its key name is a path, %s, unless a trusted key has that name',
    async (keyId) => {
      for (const format of ['alvarium', 'rfc9421'] as const) {
        const made = { format, signingKey, keyId, components: ['@method'] } as const
        const signed = await signRequest({ method, url, headers }, made)
        const given = { method, url, headers: { ...headers, ...signed } }
        const options = { format, components: ['@method'] } as const
        const error = await failure(() => verifyRequest(given, { ...options, keys }))
        const got = JSON.stringify(keyId)
        expect([error.code, error.message]).toEqual([
          'SIGNER_UNKNOWN',
          `keyid: expected the name of a trusted key, got ${got}`,
        ])
        const named = Object.fromEntries([[keyId, verifyingKey]])
        expect(await verifyRequest(given, { ...options, keys: named })).toMatchObject({ keyId })
      }
    },
  )

  it('is refused if a required component is unsigned or the signature is too old', async () => {
    expect(await verify({}, {}, { components: ['@method', 'content-type'] })).toBeDefined()
    const uncovered = await failure(() => verify({}, {}, { components: ['@query'] }))
    expect(uncovered.code).toBe('SIGNATURE_INVALID')
    expect(uncovered.message).toContain('"@query"')
    expect(await verify({}, {}, { maxAgeMs: 1000 })).toBeDefined()
    const old = await signRequest(
      { method, url, headers },
      { signingKey, keyId: 'public.key', components: ['@method'], created: 1 },
    )
    expect(await verify(old)).toMatchObject({ created: 1 })
    expect(await codeOf(() => verify(old, {}, { maxAgeMs: 1000 }))).toBe('SIGNATURE_INVALID')
  })

  it('cannot be signed with invalid options', async () => {
    const request = { method, url, headers }
    const good = { signingKey, keyId: 'k', components: ['@method'] }
    for (const bad of [
      { keyId: 'a"b' },
      { keyId: 'a;b' },
      { keyId: 'a\nb' },
      { components: [] },
      { components: ['@method" "@path'] },
      { components: ['@method\n'] },
      { created: 1.5 },
      { dialect: 'rust' },
      { format: 'draft' },
    ]) {
      expect(await codeOf(() => signRequest(request, { ...good, ...bad } as never))).toBe('CONFIG_INVALID')
    }
    expect(await codeOf(() => signRequest(request, { ...good, signingKey: 'nonsense' }))).toBe('KEY_INVALID')
  })

  it('is not verified with invalid options, and the error names the option', async () => {
    const request = { method, url, headers }
    for (const [options, name] of [
      [{}, 'verifyRequest.keys'],
      [{ keys: {} }, 'verifyRequest.keys'],
      [{ keys, origin: 'https://example.com/path' }, 'verifyRequest.origin'],
      [{ keys, dialect: 'rust' }, 'verifyRequest.dialect'],
      [{ keys, format: 'rfc9421', components: ['"x'] }, 'verifyRequest.components'],
    ] as const) {
      const error = await failure(() => verifyRequest(request, options as never))
      expect([error.code, error.message]).toEqual(['CONFIG_INVALID', expect.stringContaining(name)])
    }
  })
})
