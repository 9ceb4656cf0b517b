import { AlvariumError, generateKey } from 'alvarium-sdk'
import { signRequest, verifyRequest } from 'alvarium-sdk/http'
import { describe, expect, it } from 'vitest'
import { failure, typeError } from '../support/failure.js'
import { keys, signer } from '../support/requests.js'

const request = { method: 'GET', url: 'https://api.example/readings?unit=K', headers: {} }

describe('the error of a request that cannot be signed', () => {
  const sign = (given: unknown) => signRequest(given as never, { ...signer, components: ['@method', 'x-a'] })

  it.each([
    [null, 'null'],
    [undefined, 'undefined'],
    ['GET /', 'a string'],
    [{ method: 'GET', url: request.url }, 'an Object'],
  ])('names the value %j that is not a request', async (given, got) => {
    const { message } = await typeError(() => sign(given))
    expect(message).toBe(`request: expected an object with method, url and headers, got ${got}`)
  })

  it.each([
    [{ method: undefined }, 'method: expected a method such as GET, got ""'],
    [{ method: 'GET /' }, 'method: expected a method such as GET, got "GET /"'],
    [
      { url: 'ftp://api.example/' },
      'url: expected an absolute URL, or a path that begins with /, got "ftp://api.example/"',
    ],
    [
      { url: 'https://a:b@api.example/' },
      'url: expected an absolute http or https URL without credentials, as it is sent (new URL(url).href), got a text of 24 characters',
    ],
    [{ headers: { 'x-a': 'ü' } }, 'x-a: expected printable ASCII without line ends, got "ü"'],
    [{ headers: {} }, 'x-a: the header is missing, but was signed'],
  ])('names the invalid member in %j', async (altered, message) => {
    const headers = { Host: 'api.example', 'x-a': '' }
    const error = await failure(() => sign({ ...request, headers, ...altered }))
    expect(error).toMatchObject({ code: 'MESSAGE_MALFORMED', message })
  })

  it.each([
    [
      'a%ff',
      '@path',
      '@path: expected a path whose percent-encoding is UTF-8 without control characters, got "/a%ff"',
    ],
    [
      '?a',
      '@query-params',
      '@query-params: expected parameters with one =, or @query among the signed components as well, got "a"',
    ],
  ])(
    'names the fault if %s in a URL cannot be signed as %s in the dialect of the other SDKs',
    async (target, component, message) => {
      const given = { ...request, url: `https://api.example/${target}` }
      const error = await failure(() => signRequest(given, { ...signer, components: [component] }))
      expect(error).toMatchObject({ code: 'MESSAGE_MALFORMED', message })
    },
  )
})

describe('the error of invalid options', () => {
  const sign = (options: object) => failure(() => signRequest(request, { ...signer, ...options } as never))

  it.each([
    [{ components: ['@query-params', 'x y'] }, 'signRequest.components.1: expected the name of a header'],
    [{ format: 'rfc9421', created: -1 }, 'signRequest.created: expected seconds since 1970'],
    [
      { format: 'rfc9421', created: 2, expires: 1 },
      'signRequest.expires: expected a time not before created (2), got 1',
    ],
  ])('names the faulty option of signRequest in %j', async (options, message) => {
    const error = await sign(options)
    expect([error.code, error.message]).toEqual(['CONFIG_INVALID', expect.stringContaining(message)])
  })

  it.each(['"x', '"X"', '"x-a";sf', 'x-a: b', 'ü', ''])(
    'names the component %j, which signRequest cannot sign by RFC 9421',
    async (component) => {
      const error = await sign({ format: 'rfc9421', components: ['@method', component] })
      const got = JSON.stringify(component)
      expect(error.code).toBe('CONFIG_INVALID')
      const expected = `signRequest.components: expected names of components of a request, got ${got}`
      expect(error.message.slice(0, expected.length)).toBe(expected)
      expect(error.cause).toBeInstanceOf(Error)
    },
  )

  it.each([
    [{ keys: {} }, 'verifyRequest.keys: expected an object with at least one public key'],
    [{ isNonceFresh: true }, 'verifyRequest.isNonceFresh: expected a function'],
    [
      { components: ['a b', '"c'] },
      'verifyRequest.components: expected names of components of a request, got "a b"',
    ],
  ])('names the faulty option of verifyRequest in %j', async (options, message) => {
    const settings = { format: 'rfc9421', keys, ...options } as never
    const error = await failure(() => verifyRequest(request, settings))
    expect([error.code, error.message]).toEqual(['CONFIG_INVALID', expect.stringContaining(message)])
  })

  it('names an invalid component of verifyRequest in both formats', async () => {
    for (const format of ['alvarium', 'rfc9421'] as const) {
      const error = await failure(() => verifyRequest(request, { format, keys, components: ['c d'] }))
      expect(error.message).toContain(
        'verifyRequest.components: expected names of components of a request, got "c d"',
      )
      expect(error.cause).toBeInstanceOf(AlvariumError)
    }
  })

  it('names a key of an algorithm other than Ed25519', async () => {
    const other = await generateKey({ algorithm: 'P-256' })
    for (const format of ['alvarium', 'rfc9421']) {
      const { code, message } = await sign({ format, signingKey: other.signingKey, components: ['@method'] })
      expect(`${code} ${message}`).toBe(
        'KEY_INVALID signRequest.signingKey: expected an Ed25519 key, got a key of another algorithm',
      )
    }
    const { code, message } = await failure(() => verifyRequest(request, { keys: { k: other.verifyingKey } }))
    expect(`${code} ${message}`).toBe('KEY_INVALID keys["k"]: expected an Ed25519 key, got a key of P-256')
  })
})
