import { verifyBytes } from 'alvarium-sdk'
import { type HttpDialect, signRequest, verifyRequest } from 'alvarium-sdk/http'
import { describe, expect, it } from 'vitest'
import { fromBase64, fromHex, utf8 } from '../support/bytes.js'
import { codeOf } from '../support/failure.js'
import { keys, signedByPeer, signedByRfc, signer } from '../support/requests.js'

const request = { method: 'GET', url: 'https://api.example/', headers: {} }
const lasting = { format: 'rfc9421', keys, maxAgeMs: 3_155_760_000_000 } as const

describe('a line of the signature base (RFC 9421)', () => {
  it.each([
    ['@authority', 'https://api.example:443/', 'api.example'],
    ['@authority', 'http://api.example:80/', 'api.example'],
    ['@authority', 'HTTPS://API.example:443/', 'api.example'],
    ['@authority', 'https://api.example:/', 'api.example'],
    ['@authority', 'http://api.example:/', 'api.example'],
    ['@authority', 'https://api.example:80/', 'api.example:80'],
    ['@authority', 'http://api.example:443/', 'api.example:443'],
    ['@authority', 'https://api.example:4430/', 'api.example:4430'],
    ['@authority', 'http://api.example:8080/', 'api.example:8080'],
    ['@authority', 'https://api.example:1443/', 'api.example:1443'],
    ['@authority', 'https://[::443]/', '[::443]'],
    ['@authority', 'http://[::80]:80/', '[::80]'],
    ['@target-uri', 'HTTP://API.example:80?a', 'http://api.example/?a'],
    ['@request-target', 'https://api.example/readings', '/readings'],
    ['@request-target', 'https://api.example?a', '/?a'],
    ['@scheme', 'HTTPS://api.example', 'https'],
    ['@query', 'https://api.example/?', '?'],
    ['"@query-param";name="id"', "https://api.example/?id=!'()*-._~", '%21%27%28%29*-._%7E'],
    ['"@query-param";name="%7E%21"', 'https://api.example/?~!=a', 'a'],
  ])('for %s of %s has the value %s', async (component, url, value) => {
    const identifier = component.startsWith('"') ? component : `"${component}"`
    const headers = await signRequest(
      { ...request, url },
      { ...signer, format: 'rfc9421', components: [component], created: 1 },
    )
    const base = `${identifier}: ${value}\n"@signature-params": (${identifier});created=1;keyid="k"`
    const [, signature = ''] = /^sig1=:(.+):$/.exec(headers['Signature'] ?? '') ?? []
    expect(verifyBytes(keys.k, utf8(base), fromBase64(signature))).toBe(true)
  })

  it.each([
    ['white space around the value', '"x-a"', ' \t a  b \t ', 'a  b'],
    ['white space before one line and after another', '"x-a"', ['  a', 'b\t\t'], 'a, b'],
    ['a name of one letter', '"x"', undefined, '1'],
    ['a name with every permitted special character', '"!#$%&\'*+-.^_`|~09az"', undefined, '2'],
    ['a member in the second of two lines', '"x-a";key="b"', ['a=1', 'b=2'], '2'],
    ['a member that is true', '"x-a";key="b"', 'a, b, c', '?1'],
    ['a member in a list', '"x-a";key="a"', 'a=(1;x 2);y, b', '(1;x 2);y'],
    ['commas and semicolons in quotes', '"x-a";key="a"', 'a="b,c;d", e="f"', '"b,c;d"'],
    ['quotes in quotes', '"x-a";key="a"', String.raw`a="b\",c;d\\", e="f"`, String.raw`"b\",c;d\\"`],
    ['commas and semicolons in a display string', '"x-a";key="a"', 'a=%"b,c;d", e="f"', '%"b,c;d"'],
    ['a backslash that ends a display string', '"x-a";key="e"', String.raw`a=%"bc\", e="f"`, '"f"'],
    ['decimals', '"x-a";key="a"', 'a=(1.5 -0.10 "1.0" v1.0);b=1.25', '(1.5 -0.1 "1.0" v1.0);b=1.25'],
    ['names within a parameter', '"x-a";key="a"', 'a=1;b="a=2, a=3;b"', '1;b="a=2, a=3;b"'],
  ])('is correct for a header with %s', async (_, component, value, line) => {
    const own = { 'x-a': value, x: '1', "!#$%&'*+-.^_`|~09Az": '2' }
    const signed = signedByRfc(`${component}: ${line}\n`, `(${component});created=1;keyid="k"`)
    const options = { ...lasting, components: [component] }
    const headers = { ...own, ...signed } as Record<string, string | string[]>
    expect(await verifyRequest({ ...request, headers }, options)).toMatchObject({ components: [component] })
  })

  it.each([
    ['a repeated member', 'a=1, b=2, a=1'],
    ['a repeated member after quotes', String.raw`b="\"", a=1, a=1`],
    ['a repeated member after a display string', String.raw`b=%"c\", a=1, a=1`],
    ['a repeated parameter', 'a=1;b=1;b=1'],
    ['a repeated parameter in a list', 'a=(1;b;b)'],
    ['a repeated parameter after a list', 'a=1, b=(1 2);c;c'],
    ['a decimal with the value of an integer', 'b=2, a=1.0'],
    ['a decimal with the value of an integer in a list', 'a=(1.5 -2.00)'],
    ['a decimal with the value of an integer as a parameter', 'a="1.5";b=1.000, c'],
  ])('is not built for a header that has %s', async (_, value) => {
    const given = { ...request, headers: { 'x-a': value } }
    const options = { ...signer, format: 'rfc9421', components: ['"x-a";key="a"'] } as const
    expect(await codeOf(() => signRequest(given, options))).toBe('MESSAGE_MALFORMED')
  })
})

describe('a signed request', () => {
  const signing = { ...signer, format: 'rfc9421' } as const

  it('may have its cookies in one line, or in several lines as in HTTP/2', async () => {
    const components = ['cookie']
    const signed = await signRequest(
      { ...request, headers: { Cookie: 'a=1; b=2' } },
      { ...signing, components },
    )
    for (const Cookie of ['a=1; b=2', ['a=1', 'b=2']]) {
      const got = { ...request, headers: { ...signed, Cookie } }
      expect(await verifyRequest(got, { ...lasting, components })).toMatchObject({ keyId: 'k' })
    }
  })

  it('may have a lower-case method if fetch normalizes the method to upper case', async () => {
    const components = ['@method']
    for (const [method, sent] of [
      ['post', 'POST'],
      ['Get', 'GET'],
      ['patch', 'patch'],
    ] as const) {
      const headers = await signRequest({ ...request, method }, { ...signing, components })
      const got = { method: sent, url: request.url, headers }
      expect(await verifyRequest(got, { ...lasting, components })).toMatchObject({ keyId: 'k' })
    }
  })
})

describe('a signature by RFC 9421', () => {
  const verify = (parameters: string, options: object = {}) => {
    const headers = signedByRfc('"@method": GET\n', `("@method");created=1;keyid="k"${parameters}`)
    return verifyRequest({ ...request, headers }, { ...lasting, components: ['@method'], ...options })
  }

  it('makes verifyRequest return the parameters that the signature has, and no others', async () => {
    expect(await verify('')).toStrictEqual({ keyId: 'k', components: ['"@method"'], created: 1, label: 's' })
    expect(await verify(';nonce="n";tag="t"')).toStrictEqual({
      keyId: 'k',
      components: ['"@method"'],
      created: 1,
      nonce: 'n',
      tag: 't',
      label: 's',
    })
  })

  it('may have an unexpected tag and unknown parameters', async () => {
    expect(await verify(';tag="t"')).toMatchObject({ tag: 't' })
    expect(await verify(';x=1;y')).toMatchObject({ keyId: 'k' })
  })

  it('may name the algorithm ed25519, and no other', async () => {
    expect(await verify(';alg="ed25519"')).toMatchObject({ keyId: 'k' })
    for (const alg of ['hmac-sha256', 'Ed25519', 'ed25519 ', '']) {
      expect(await codeOf(() => verify(`;alg="${alg}"`))).toBe('SIGNATURE_INVALID')
    }
  })

  it('covers components by their whole names, and not by a part of a name', async () => {
    for (const wanted of ['method', '"@query-param";name="a"']) {
      expect(await codeOf(() => verify('', { components: [wanted] }))).toBe('SIGNATURE_INVALID')
    }
    expect(await verify('', { components: ['@METHOD'] })).toMatchObject({ keyId: 'k' })
  })
})

describe('a signature in the dialect of the other SDKs', () => {
  const tail = ';created=1;keyid="k";alg="ed25519";'
  it.each<[HttpDialect, string, string, string]>([
    ['go', '@query', '', '"@query" ?\n'],
    ['java', '@query', '', '"@query" ?null\n'],
    ['python', '@query', '', '"@query" ?\n'],
    ['java', '@query', '?a', '"@query" ?a\n'],
    ['go', '@query-params', '', ''],
    ['go', '@query-params', '?a=b', '"@query-params" ;name="a": b\n'],
    ['go', '@query-params', '?a=b&c=', '"@query-params";name="a": b\n"@query-params";name="c": \n'],
    ['go', '@path', '%20b', '"@path" /x b\n'],
    ['python', '@path', '%20b', '"@path" /x%20b\n'],
    ['go', '@scheme', '', '"@scheme" https\n'],
    ['go', '@authority', '', '"@authority" api.example\n'],
    ['go', 'X-A', '', '"X-A" a b\n'],
    ['python', 'X-A', '', '"X-A" a \t b\n'],
  ])(
    'covers, for the %s SDK, %s of a URL that ends with %j as the line %j',
    async (dialect, component, end, line) => {
      const given = { ...request, url: `https://api.example/x${end}`, headers: { 'x-a': ' a \t b ' } }
      const headers = await signRequest(given, { ...signer, dialect, components: [component], created: 1 })
      expect(headers['Signature-Input']).toBe(`"${component}"${tail}`)
      const signature = fromHex(headers['Signature'] ?? '')
      expect(verifyBytes(keys.k, utf8(`${line}${tail}`), signature)).toBe(true)
    },
  )

  it('may cover a query parameter with a second "=" only if it covers the whole query', async () => {
    const given = { ...request, url: 'https://api.example/?a=b=c' }
    for (const whole of ['@query', '@target-uri']) {
      const components = ['@query-params', whole]
      expect(await signRequest(given, { ...signer, components })).toHaveProperty('Signature')
    }
    const components = ['@query-params', '@path']
    expect(await codeOf(() => signRequest(given, { ...signer, components }))).toBe('MESSAGE_MALFORMED')
  })

  it('may have white space around the names of components and around the signature', async () => {
    const lines = '"@method" GET\n"@path" /\n'
    const signed = signedByPeer(lines, '  "@method" \t "@path"  ;keyid="k";alg="ed25519"')
    const headers = { ...signed, Signature: ` ${signed['Signature']}\t` }
    expect(await verifyRequest({ ...request, headers }, { keys })).toStrictEqual({
      keyId: 'k',
      components: ['"@method"', '"@path"'],
    })
  })

  it('is refused if it names an algorithm other than ed25519', async () => {
    const headers = signedByPeer('"@method" GET\n', '"@method";keyid="k";alg="hmac-sha256"')
    expect(await codeOf(() => verifyRequest({ ...request, headers }, { keys }))).toBe('SIGNATURE_INVALID')
  })

  it('is malformed if a time is not written in digits only', async () => {
    for (const time of ['created="1"', 'expires="1"', 'created=', 'created=1.5', 'created=-1']) {
      const headers = signedByPeer('"@method" GET\n', `"@method";${time};keyid="k";alg="ed25519"`)
      expect(await codeOf(() => verifyRequest({ ...request, headers }, { keys }))).toBe('MESSAGE_MALFORMED')
    }
  })

  it('covers a header whatever the case of its name', async () => {
    const headers = { 'x-a': '1', ...signedByPeer('"X-A" 1\n', '"X-A";keyid="k";alg="ed25519"') }
    const verify = (components: string[]) => verifyRequest({ ...request, headers }, { keys, components })
    expect(await verify(['x-A'])).toMatchObject({ components: ['"x-a"'] })
    expect(await codeOf(() => verify(['x-a', 'x']))).toBe('SIGNATURE_INVALID')
  })
})
