import { contentDigest, signRequest, verifyRequest } from 'alvarium-sdk/http'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { failure } from '../support/failure.js'
import { keys, signedByPeer, signedByRfc, signer } from '../support/requests.js'

const request = { method: 'GET', url: 'https://api.example/', headers: {} }
const AT = 1_700_000_000
const covering = { format: 'rfc9421', keys, components: ['@method'], maxAgeMs: 3_155_760_000_000 } as const
const method = '"@method": GET\n'
const input = `("@method");created=${AT};keyid="k"`

/** Returns the code and the message of the error; both undefined at the limit. */
const saidOf = (act: () => unknown) => failure(act).then(({ code, message }) => [code, message])

const tooMuch = (field: string) =>
  `${field}: expected at most 8192 characters, and 256 members, parameters and items, of dictionaries and signed query parameters together, got more`

// claim: http-7
describe('a request is refused only above the maximum number', () => {
  // claim: threats-45
  it('of characters in Signature-Input', async () => {
    const verify = (nonce: string) => {
      const headers = signedByRfc(method, `${input};nonce="${nonce}"`)
      return verifyRequest({ ...request, headers }, covering)
    }
    // The signature counts too: 88 characters of base64.
    const most = 'x'.repeat(8192 - `s=${input};nonce=""`.length - 's=::'.length - 88)
    expect(await verify(most)).toMatchObject({ nonce: most })
    expect(await saidOf(() => verify(`${most}x`))).toEqual(['MESSAGE_MALFORMED', tooMuch('signature')])
    const said = ['MESSAGE_MALFORMED', 'signature-input: expected at most 8192 characters, got 8193']
    expect(await saidOf(() => verify(`${most}${'x'.repeat(93)}`))).toEqual(said)
  })

  it('of characters in Signature-Input in the dialect of the other SDKs', async () => {
    const start = '"@method";keyid="k";alg="ed25519";nonce="'
    const verify = (nonce: string) => {
      const headers = signedByPeer('"@method" GET\n', `${start}${nonce}"`)
      return verifyRequest({ ...request, headers }, { keys })
    }
    const most = 'x'.repeat(8192 - start.length - 1)
    expect(await verify(most)).toMatchObject({ keyId: 'k' })
    const said = ['MESSAGE_MALFORMED', 'signature-input: expected at most 8192 characters, got 8193']
    expect(await saidOf(() => verify(`${most}x`))).toEqual(said)
  })

  it('of signatures', async () => {
    const verify = (others: number) => {
      const { 'Signature-Input': ours, ...rest } = signedByRfc(method, input)
      const more = Array.from({ length: others }, (_, at) => `t${at}=("@path")`)
      const headers = { 'Signature-Input': [`${ours}`, ...more], ...rest }
      return verifyRequest({ ...request, headers }, { ...covering, label: 's' })
    }
    expect(await verify(15)).toMatchObject({ label: 's' })
    const said = ['MESSAGE_MALFORMED', 'signature-input: expected at most 16 labels, got 17']
    expect(await saidOf(() => verify(16))).toEqual(said)
  })

  it('of components', async () => {
    const named = (count: number) => Array.from({ length: count }, (_, at) => `x-${at}`)
    const sign = (count: number) => {
      const headers = Object.fromEntries(named(count).map((name) => [name, name]))
      const components = named(count)
      return signRequest({ ...request, headers }, { ...signer, format: 'rfc9421', components })
    }
    const headers = { ...Object.fromEntries(named(64).map((name) => [name, name])), ...(await sign(64)) }
    const { components } = await verifyRequest(
      { ...request, headers },
      { ...covering, components: named(64) },
    )
    expect(components).toHaveLength(64)
    const said = ['MESSAGE_MALFORMED', 'signature-input: expected 1 to 64 components, got 65']
    expect(await saidOf(() => sign(65))).toEqual(said)
  })

  it('of characters in a URL', async () => {
    const verify = async (length: number) => {
      const given = { ...request, url: request.url.padEnd(length, 'x') }
      const headers = await signRequest(given, { ...signer, components: ['@path'] })
      return verifyRequest({ ...given, headers }, { keys })
    }
    expect(await verify(32_768)).toMatchObject({ components: ['"@path"'] })
    const said = ['MESSAGE_MALFORMED', 'url: expected at most 32768 characters, got 32769']
    expect(await saidOf(() => verify(32_769))).toEqual(said)
  })

  it('of characters in all lines of a header', async () => {
    const verify = async (length: number) => {
      const own = { 'x-a': ['x', 'x'.repeat(length - 1)] }
      const signed = await signRequest({ ...request, headers: own }, { ...signer, components: ['x-a'] })
      return verifyRequest({ ...request, headers: { ...own, ...signed } }, { keys })
    }
    expect(await verify(32_768)).toMatchObject({ components: ['"x-a"'] })
    const said = ['MESSAGE_MALFORMED', 'x-a: expected at most 32768 characters, got 32769']
    expect(await saidOf(() => verify(32_769))).toEqual(said)
  })

  it.each(['alvarium', 'rfc9421'] as const)(
    'of characters that a signature covers in format %s',
    async (format) => {
      const verify = async (length: number) => {
        const own = { 'x-a': 'x'.repeat(30_000), 'x-b': 'x'.repeat(length) }
        const components = ['x-a', 'x-b']
        const signed = await signRequest({ ...request, headers: own }, { ...signer, format, components })
        return verifyRequest({ ...request, headers: { ...own, ...signed } }, { format, keys, components })
      }
      expect(await verify(10_900)).toMatchObject({ keyId: 'k' })
      const said = 'signature-input: expected at most 40960 signed characters, got more'
      expect(await saidOf(() => verify(10_961))).toEqual(['MESSAGE_MALFORMED', said])
    },
  )

  it('of header lines', async () => {
    const headers = await signRequest(request, { ...signer, components: ['@method'] })
    const verify = (count: number) => {
      const more = Array.from({ length: count - 2 }, (_, at): [string, string] => [`x-${at % 100}`, 'x'])
      return verifyRequest({ ...request, headers: [...Object.entries(headers), ...more] }, { keys })
    }
    expect(await verify(256)).toMatchObject({ keyId: 'k' })
    const said = ['MESSAGE_MALFORMED', 'headers: expected at most 256 lines, got more']
    expect(await saidOf(() => verify(257))).toEqual(said)
  })

  it('of signed components in the dialect of the other SDKs', async () => {
    const verify = async (count: number) => {
      const own = Object.fromEntries(Array.from({ length: count }, (_, at) => [`x-${at}`, 'x']))
      const components = Object.keys(own)
      const signed = await signRequest({ ...request, headers: own }, { ...signer, components })
      return verifyRequest({ ...request, headers: { ...own, ...signed } }, { keys })
    }
    expect((await verify(64)).components).toHaveLength(64)
    const said = ['MESSAGE_MALFORMED', 'signature-input: expected at most 64 signed components, got 65']
    expect(await saidOf(() => verify(65))).toEqual(said)
  })

  it('of parameters in the dialect of the other SDKs', async () => {
    const verify = (count: number) => {
      const more = Array.from({ length: count - 2 }, (_, at) => `;x${'y'.repeat(at)}="1"`).join('')
      const headers = signedByPeer('"@method" GET\n', `"@method";keyid="k";alg="ed25519"${more}`)
      return verifyRequest({ ...request, headers }, { keys })
    }
    expect(await verify(32)).toMatchObject({ keyId: 'k' })
    const said = ['MESSAGE_MALFORMED', 'signature-input: expected at most 32 parameters, got 33']
    expect(await saidOf(() => verify(33))).toEqual(said)
  })

  it.each([
    ['alvarium', '@query-params', '@query-params', 8191],
    // The limit counts all text read and written again: name and value, once each, and the signature.
    ['rfc9421', '"@query-param";name="a0"', '@query-param', 3950],
  ] as const)(
    'of signed query parameters, and of their characters, in the format %s',
    async (format, component, field, most) => {
      const verify = async (query: string) => {
        const given = { ...request, url: `${request.url}?${query}` }
        const components = [component]
        const headers = await signRequest(given, { ...signer, format, components })
        return verifyRequest({ ...given, headers }, { format, keys, components })
      }
      const pairs = (count: number) => Array.from({ length: count }, (_, at) => `a${at}=1`).join('&')
      expect(await verify(pairs(128))).toMatchObject({ keyId: 'k' })
      const many = `${field}: expected at most 128 parameters, got 129`
      expect(await saidOf(() => verify(pairs(129)))).toEqual(['MESSAGE_MALFORMED', many])
      expect(await verify('a0='.padEnd(most, 'x'))).toMatchObject({ keyId: 'k' })
      const long = `${field}: expected a query of at most 8192 characters, got 8193`
      expect(await saidOf(() => verify('a0='.padEnd(8192, 'x')))).toEqual(['MESSAGE_MALFORMED', long])
    },
  )

  describe('of characters that verification must parse and serialize again', () => {
    const verify = async (components: string[], own: Record<string, string>, query = '') => {
      const given = { ...request, url: `${request.url}${query}`, headers: own }
      const signed = await signRequest(given, { ...signer, format: 'rfc9421', components })
      return verifyRequest({ ...given, headers: { ...own, ...signed } }, { ...covering, components })
    }
    const two = ['"x-a";key="a0"', '"x-b";key="a0"']
    const text = (length: number) => `a0="${'x'.repeat(length)}"`
    const more = (field: string) => ['MESSAGE_MALFORMED', tooMuch(field)]

    it('in the members of several headers together', async () => {
      const members = (count: number) => Array.from({ length: count }, (_, at) => `a${at}`).join(',')
      expect(await verify(two, { 'x-a': members(120), 'x-b': members(120) })).toMatchObject({ keyId: 'k' })
      expect(await saidOf(() => verify(two, { 'x-a': members(130), 'x-b': members(130) }))).toEqual(
        more('x-b'),
      )
    })

    // claim: http-8
    it('in several headers together', async () => {
      expect(await verify(two, { 'x-a': text(1950), 'x-b': text(1950) })).toMatchObject({ keyId: 'k' })
      expect(await saidOf(() => verify(two, { 'x-a': text(2050), 'x-b': text(2050) }))).toEqual(more('x-b'))
      const long = 'x-a: expected at most 8192 characters, got 8193'
      const said = ['MESSAGE_MALFORMED', long]
      expect(await saidOf(() => verify(two, { 'x-a': text(8188), 'x-b': 'a0' }))).toEqual(said)
    })

    it('in a header and the query together', async () => {
      const both = ['"x-a";key="a0"', '"@query-param";name="a0"']
      const query = (length: number) => `?a0=${'x'.repeat(length)}`
      expect(await verify(both, { 'x-a': text(1950) }, query(1950))).toMatchObject({ keyId: 'k' })
      expect(await saidOf(() => verify(both, { 'x-a': text(2050) }, query(2050)))).toEqual(
        more('@query-param'),
      )
    })

    it('in the query, where a percent-encoded character counts as three', async () => {
      const query = `?a0=${"'".repeat(2000)}`
      expect(await verify(['"@query-param";name="a0"'], {}, query.slice(0, -100))).toMatchObject({
        keyId: 'k',
      })
      const said = more('@query-param')
      expect(
        await saidOf(() => verify(['"@query-param";name="a0"'], {}, `${query}${"'".repeat(100)}`)),
      ).toEqual(said)
    })
  })

  it('of characters in Content-Digest', async () => {
    const body = utf8('body')
    const whole = `${await contentDigest(body)};x="`
    const verify = async (length: number) => {
      const own = { 'Content-Digest': `${whole.padEnd(length - 1, 'x')}"` }
      const components = ['content-digest']
      const signing = { ...signer, format: 'rfc9421', components } as const
      const signed = await signRequest({ ...request, headers: own }, signing)
      return verifyRequest({ ...request, headers: { ...own, ...signed } }, { ...covering, components, body })
    }
    expect(await verify(1024)).toMatchObject({ components: ['"content-digest"'] })
    const said = ['MESSAGE_MALFORMED', 'content-digest: expected at most 1024 characters, got 1025']
    expect(await saidOf(() => verify(1025))).toEqual(said)
  })
})

describe('the time in which a request signature is valid', () => {
  afterEach(() => vi.restoreAllMocks())

  /** @param now - in milliseconds after it was signed */
  const verifyAt = async (now: number, times: object, options: object, format = 'rfc9421') => {
    const signing = { ...signer, format, components: ['@method'], created: AT, ...times }
    const headers = await signRequest(request, signing as never)
    vi.spyOn(Date, 'now').mockReturnValue(AT * 1000 + now)
    const judging = { keys, format, components: ['@method'], ...options }
    return verifyRequest({ ...request, headers }, judging as never)
  }
  const tooLate = `created: expected a time at most 3000 ms before now (${AT + 3}), and not after it, got ${AT}`
  const tooSoon = `created: expected a time at most 3000 ms before now (${AT - 1}), and not after it, got ${AT}`
  const ended = `expires: expected a time after ${AT + 2}, got ${AT + 2}`

  it.each([
    ['the maximum age', 3_000, 3_001, {}, { maxAgeMs: 3000, clockSkewMs: 0 }, tooLate],
    ['the maximum age with a clock skew', 3_500, 3_501, {}, { maxAgeMs: 3000, clockSkewMs: 500 }, tooLate],
    ['the beginning', 0, -1, {}, { maxAgeMs: 3000, clockSkewMs: 0 }, tooSoon],
    ['the beginning with a clock skew', -500, -501, {}, { maxAgeMs: 3000, clockSkewMs: 500 }, tooSoon],
    ['the expiry', 2_000, 2_001, { expires: AT + 2 }, { clockSkewMs: 0 }, ended],
    ['the expiry with a clock skew', 2_500, 2_501, { expires: AT + 2 }, { clockSkewMs: 500 }, ended],
  ])('is exact to the millisecond for %s', async (_, good, bad, times, options, message) => {
    expect(await verifyAt(good, times, options)).toMatchObject({ created: AT })
    expect(await saidOf(() => verifyAt(bad, times, options))).toEqual(['SIGNATURE_INVALID', message])
  })

  // claim: http-2
  it("ends at the maximum age or at the signature's expiry, whichever is earlier", async () => {
    const limits = { maxAgeMs: 3000, clockSkewMs: 0 }
    expect(await saidOf(() => verifyAt(3_001, { expires: AT + 60 }, limits))).toEqual([
      'SIGNATURE_INVALID',
      tooLate,
    ])
    expect(await saidOf(() => verifyAt(2_001, { expires: AT + 2 }, limits))).toEqual([
      'SIGNATURE_INVALID',
      ended,
    ])
    expect(await verifyAt(2_000, { expires: AT + 2 }, limits)).toBeDefined()
  })

  it('cannot end before the signature was created', async () => {
    const headers = signedByRfc(method, `("@method");created=${AT + 30};expires=${AT - 30};keyid="k"`)
    vi.spyOn(Date, 'now').mockReturnValue(AT * 1000)
    const text = `expires: expected a time not before created (${AT + 30}), got ${AT - 30}`
    expect(await saidOf(() => verifyRequest({ ...request, headers }, covering))).toEqual([
      'SIGNATURE_INVALID',
      text,
    ])
  })

  // claim: threats-42, http-3
  it('is five minutes by default, plus one minute for differing clocks', async () => {
    expect(await verifyAt(360_000, {}, {})).toBeDefined()
    expect((await saidOf(() => verifyAt(360_001, {}, {})))[0]).toBe('SIGNATURE_INVALID')
    expect(await verifyAt(-60_000, {}, {})).toBeDefined()
    expect((await saidOf(() => verifyAt(-60_001, {}, {})))[0]).toBe('SIGNATURE_INVALID')
  })

  // claim: http-5
  it('is unlimited by default in the dialect of the other SDKs', async () => {
    expect(await verifyAt(1e13, {}, {}, 'alvarium')).toBeDefined()
    const limited = () => verifyAt(3_001, {}, { maxAgeMs: 3000, clockSkewMs: 0 }, 'alvarium')
    expect(await saidOf(limited)).toEqual(['SIGNATURE_INVALID', tooLate])
  })

  it('ends at the time in the parameter `expires`, also in the dialect of the other SDKs', async () => {
    const headers = signedByPeer(
      '"@method" GET\n',
      `"@method";created=${AT};expires=${AT + 2};keyid="k";alg="ed25519"`,
    )
    const verify = (now: number) => {
      vi.spyOn(Date, 'now').mockReturnValue(AT * 1000 + now)
      return verifyRequest({ ...request, headers }, { keys, clockSkewMs: 0 })
    }
    expect(await verify(2000)).toMatchObject({ expires: AT + 2 })
    expect(await saidOf(() => verify(2001))).toEqual(['SIGNATURE_INVALID', ended])
  })

  it('may end in the second in which it begins', async () => {
    expect(await verifyAt(0, { expires: AT }, { clockSkewMs: 0 })).toMatchObject({ expires: AT })
  })
})
