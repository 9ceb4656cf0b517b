import { signRequest, verifyRequest } from 'alvarium-sdk/http'
import { describe, expect, it } from 'vitest'
import { failure } from '../support/failure.js'
import { keys, signer } from '../support/requests.js'

/** Returns a request of `node:http`, whose signer may have seen another URL. */
const received = async (
  url: string,
  incoming: { url?: string; rawHeaders?: string[]; socket?: object },
  options: object = {},
  component = '@target-uri',
) => {
  const components = [component]
  const signed = await signRequest({ method: 'GET', url, headers: {} }, { ...signer, components })
  const rawHeaders = [...Object.entries(signed).flat(), ...(incoming.rawHeaders ?? ['Host', 'api.example'])]
  return verifyRequest({ method: 'GET', ...incoming, rawHeaders }, { keys, ...options })
}
const origin = 'https://api.example'

describe('the URL of an incoming request', () => {
  it.each([
    ['nothing but a path', '/readings', 'http://api.example/readings'],
    ['nothing but a query', '?unit=K', 'http://api.example?unit=K'],
    ['nothing', '', 'http://api.example'],
    ['a whole URL, as proxies get it', 'https://api.example/readings', 'https://api.example/readings'],
  ])('is complete although the request has %s', async (_, url, whole) => {
    expect(await received(whole, { url })).toMatchObject({ keyId: 'k' })
  })

  it('consists of scheme and host if the request has no target', async () => {
    expect(await received('http://api.example', {})).toMatchObject({ keyId: 'k' })
  })

  it.each(['.evil.example/', '@evil.example/', ':8443/', 'readings?', '*', 'ftp://api.example/'])(
    'is refused with the target %s, which would change the origin',
    async (url) => {
      for (const options of [{}, { origin }]) {
        const { code, message } = await failure(() => received(`${origin}/`, { url }, options))
        expect(code).toBe('MESSAGE_MALFORMED')
        expect(message).toBe(`url: expected an absolute URL, or a path that begins with /, got "${url}"`)
      }
    },
  )

  it('is refused if a target contains a #', async () => {
    const { message } = await failure(() => received(`${origin}/`, { url: '/#/admin' }))
    expect(message).toBe('url: expected a request target without #, got "/#/admin"')
  })
})

describe('the scheme of an incoming request', () => {
  it.each([
    ['http without a socket', {}, 'http'],
    ['http on a socket', { socket: {} }, 'http'],
    ['http on an unencrypted socket', { socket: { encrypted: false } }, 'http'],
    ['https on an encrypted socket', { socket: { encrypted: true } }, 'https'],
    ['the :scheme of HTTP/2', { rawHeaders: [':scheme', 'https', ':authority', 'api.example'] }, 'https'],
  ])('is %s', async (_, incoming, scheme) => {
    const given = { url: '/', ...incoming }
    expect(await received(`${scheme}://api.example/`, given, {}, '@scheme')).toMatchObject({ keyId: 'k' })
    const other = scheme === 'http' ? 'https' : 'http'
    const { code } = await failure(() => received(`${other}://api.example/`, given, {}, '@scheme'))
    expect(code).toBe('SIGNATURE_INVALID')
  })

  it.each(['xhttp', 'httpx', 'http://evil.example/?', ''])(
    'is refused if HTTP/2 names the scheme %j',
    async (scheme) => {
      const rawHeaders = [':scheme', scheme, ':authority', 'api.example']
      const { message } = await failure(() => received(`${origin}/`, { url: '/', rawHeaders }))
      expect(message).toBe(`:scheme: expected http or https, got "${scheme}"`)
    },
  )
})

describe('the Host header of an incoming request', () => {
  const withHost = (rawHeaders: string[]) => received('http://api.example/', { url: '/', rawHeaders })

  it('may be repeated if both values are equal', async () => {
    expect(await withHost([':authority', 'api.example', 'host', 'api.example'])).toBeDefined()
    expect(await withHost(['Host', 'api.example', 'host', 'api.example'])).toBeDefined()
  })

  it.each([
    ['none', [], '0'],
    ['two different ones', ['Host', 'api.example', 'host', 'evil.example'], '2'],
    ['a different one in :authority', [':authority', 'api.example', 'Host', 'evil.example'], '2'],
    ['one with a path', ['Host', 'api.example/x'], '"api.example/x"'],
    ['one with a space before the host', ['Host', ' api.example'], '" api.example"'],
    ['one with a space after the host', ['Host', 'api.example '], '"api.example "'],
    ['an empty one', ['Host', ''], '""'],
  ])('is refused when there is %s', async (_, rawHeaders, got) => {
    const { code, message } = await failure(() => withHost(rawHeaders))
    expect(code).toBe('MESSAGE_MALFORMED')
    expect(message).toBe(`host: expected one Host field with a host, or an absolute URL, got ${got}`)
  })

  it('is refused if it contains credentials', async () => {
    const { message } = await failure(() => withHost(['Host', 'a@api.example']))
    expect(message).toBe(
      'host: expected one Host field with a host, or an absolute URL, got a text of 13 characters',
    )
  })
})

it('a header of an incoming request counts as missing if its value is undefined', async () => {
  const incoming = { method: 'GET', url: '/', rawHeaders: ['Host', 'api.example', 'x-a'] } as const
  const signed = await signRequest(
    { method: 'GET', url: `${origin}/`, headers: { 'x-a': 'undefined' } },
    { ...signer, components: ['x-a'] },
  )
  const rawHeaders = [...Object.entries(signed).flat(), ...incoming.rawHeaders]
  const { message } = await failure(() => verifyRequest({ ...incoming, rawHeaders }, { keys }))
  expect(message).toBe('x-a: the header is missing, but was signed')
})
