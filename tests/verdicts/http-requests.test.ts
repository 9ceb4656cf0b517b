// Requests that a man in the middle keeps, alters or passes on, and the verdict of verifyRequest on each.

import { generateKey } from 'alvarium-sdk'
import { type PlainRequest, signRequest, type VerifyRequestOptions, verifyRequest } from 'alvarium-sdk/http'
import { describe, expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { codeOf } from '../support/failure.js'
import { keys, signer } from '../support/requests.js'

const plain: PlainRequest = {
  method: 'POST',
  url: 'https://api.example/transfer?account=7&amount=1',
  headers: { 'Content-Type': 'application/json', 'X-Account': '7' },
}
const body = utf8('{"amount":1}')
const seconds = () => Math.floor(Date.now() / 1000)

type Headers = Record<string, string>
const headersOf = (request: PlainRequest) => request.headers as Headers

async function signRfc(more: object = {}): Promise<PlainRequest> {
  const headers = await signRequest(plain, { ...signer, format: 'rfc9421', body, ...more } as never)
  return { ...plain, headers: { ...headersOf(plain), ...headers } }
}
const verify = (request: PlainRequest, more: Partial<VerifyRequestOptions> = {}) =>
  verifyRequest(request, { format: 'rfc9421', keys, body, ...more } as VerifyRequestOptions)

const input = (from: RegExp, to: string) => (request: PlainRequest) => {
  const given = headersOf(request)
  return {
    ...request,
    headers: { ...given, 'Signature-Input': given['Signature-Input']?.replace(from, to) ?? '' },
  }
}

describe('a request with a signature of RFC 9421', () => {
  it.each<[string, (request: PlainRequest) => PlainRequest]>([
    ['another method', (request) => ({ ...request, method: 'PUT' })],
    ['another host', (request) => ({ ...request, url: 'https://evil.example/transfer?account=7&amount=1' })],
    ['another path', (request) => ({ ...request, url: 'https://api.example/Transfer?account=7&amount=1' })],
    [
      'an encoded path',
      (request) => ({ ...request, url: 'https://api.example/t%72ansfer?account=7&amount=1' }),
    ],
    ['another query', (request) => ({ ...request, url: 'https://api.example/transfer?amount=1&account=7' })],
    [
      'an encoded query',
      (request) => ({ ...request, url: 'https://api.example/transfer?account=%37&amount=1' }),
    ],
    ['a later time', input(/created=\d+/, `created=${seconds() + 30}`)],
    ['a later expiry', input(/;keyid/, `;expires=${seconds() + 9999};keyid`)],
    ['an unsigned nonce', input(/;keyid/, ';nonce="n";keyid')],
    ['an unsigned algorithm', input(/;keyid/, ';alg="ed25519";keyid')],
    ['fewer signed components', input(/ "@query"/, '')],
    ['components in another order', input(/"@method" "@authority"/, '"@authority" "@method"')],
    ['a parameter in another place', input(/(created=\d+);(keyid="k")/, '$2;$1')],
  ])('is refused with %s', async (_, alter) => {
    expect(await codeOf(async () => verify(alter(await signRfc())))).toBe('SIGNATURE_INVALID')
  })

  it('is refused with another body, and with the digest of another body', async () => {
    const request = await signRfc()
    const other = utf8('{"amount":1000000}')
    expect(await codeOf(() => verify(request, { body: other }))).toBe('PAYLOAD_MISMATCH')
    const replaced = await signRfc({ body: other })
    const headers = { ...headersOf(request), 'Content-Digest': headersOf(replaced)['Content-Digest'] ?? '' }
    expect(await codeOf(() => verify({ ...request, headers }, { body: other }))).toBe('SIGNATURE_INVALID')
  })

  it('is refused with a second value of a signed header, whatever the case of the header’s name', async () => {
    const components = ['@method', '@authority', '@path', '@query', 'content-digest', 'x-account']
    const request = await signRfc({ components })
    expect(await verify(request, { components })).toBeDefined()
    const headers = { ...headersOf(request), 'x-account': '8' }
    expect(await codeOf(() => verify({ ...request, headers }, { components }))).toBe('SIGNATURE_INVALID')
  })

  it('is refused when it arrived at another server, whichever host it names', async () => {
    const more = { origin: 'https://other.example' }
    expect(await codeOf(async () => verify(await signRfc(), more))).toBe('SIGNATURE_INVALID')
  })

  it('is refused when it arrives a second time, even under another label, if nonces must be new', async () => {
    const seen = new Set<string>()
    const isNonceFresh = (nonce: string, keyId: string) =>
      !seen.has(`${keyId} ${nonce}`) && Boolean(seen.add(`${keyId} ${nonce}`))
    const request = await signRfc({ nonce: 'n-1' })
    expect(await verify(request, { isNonceFresh } as never)).toBeDefined()
    const { 'Signature-Input': list = '', Signature = '' } = headersOf(request)
    const headers = {
      ...headersOf(request),
      'Signature-Input': list.replace('sig1=', 'other='),
      Signature: Signature.replace('sig1=', 'other='),
    }
    for (const again of [request, { ...request, headers }]) {
      expect(await codeOf(() => verify(again, { isNonceFresh } as never))).toBe('SIGNATURE_INVALID')
    }
  })

  it('is refused with another public key, and with the keyid of an unknown signer', async () => {
    const other = { k: generateKey().verifyingKey }
    expect(await codeOf(async () => verify(await signRfc(), { keys: other }))).toBe('SIGNATURE_INVALID')
    expect(await codeOf(async () => verify(input(/keyid="k"/, 'keyid="x"')(await signRfc())))).toBe(
      'SIGNER_UNKNOWN',
    )
  })

  it.each([
    ['in the future', { created: seconds() + 600 }],
    ['long ago', { created: seconds() - 600 }],
    ['earlier, and the signature has expired', { created: seconds() - 200, expires: seconds() - 100 }],
  ])('is refused when it was signed %s', async (_, more) => {
    expect(await codeOf(async () => verify(await signRfc(more)))).toBe('SIGNATURE_INVALID')
  })
})

describe('a request with a signature in the dialect of the other SDKs', () => {
  const components = ['@method', '@authority', '@path', '@query', 'X-Account']
  async function peer(more: object = {}): Promise<PlainRequest> {
    const headers = await signRequest(plain, { ...signer, components, ...more } as never)
    return { ...plain, headers: { ...headersOf(plain), ...headers } }
  }
  const check = (request: PlainRequest, more: object = {}) =>
    verifyRequest(request, { keys, ...more } as never)

  it.each<[string, (request: PlainRequest) => PlainRequest]>([
    ['another method', (request) => ({ ...request, method: 'PUT' })],
    ['another host', (request) => ({ ...request, url: 'https://evil.example/transfer?account=7&amount=1' })],
    ['another path', (request) => ({ ...request, url: 'https://api.example/Transfer?account=7&amount=1' })],
    ['another query', (request) => ({ ...request, url: 'https://api.example/transfer?account=8&amount=1' })],
    ['another header', (request) => ({ ...request, headers: { ...headersOf(request), 'X-Account': '8' } })],
    ['a second header', (request) => ({ ...request, headers: { ...headersOf(request), 'x-account': '8' } })],
    ['a later time', input(/created=\d+/, `created=${seconds() + 30}`)],
    ['no time', input(/created=\d+;/, '')],
    ['fewer signed components', input(/ "@query"/, '')],
  ])('is refused with %s', async (_, alter) => {
    expect(await codeOf(async () => check(alter(await peer())))).toBe('SIGNATURE_INVALID')
  })

  it('is refused under the option maxAgeMs when it is too old or has no time', async () => {
    const old = await peer({ created: seconds() - 600 })
    expect(await check(old)).toBeDefined()
    expect(await codeOf(() => check(old, { maxAgeMs: 300_000 }))).toBe('SIGNATURE_INVALID')
    const undated = input(/created=\d+;/, '')(await peer())
    expect(await codeOf(() => check(undated, { maxAgeMs: 300_000 }))).toBe('SIGNATURE_INVALID')
  })

  it('is refused where a signature of RFC 9421 is expected, and vice versa', async () => {
    expect(await codeOf(async () => verify(await peer()))).toBe('MESSAGE_MALFORMED')
    expect(await codeOf(async () => check(await signRfc()))).toBe('MESSAGE_MALFORMED')
  })
})
